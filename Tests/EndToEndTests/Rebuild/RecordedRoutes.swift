import FocusCore
import FocusSyncClient
import Foundation
import Support

/// Recorded tracks, cut into routes: those beside the checkout if there are any, otherwise our own sample.
enum RecordedRoutes {

    /// Routes of at most `length` points each.
    static func routes(of length: Int) throws -> [[RoutePoint]] {
        let folder = Checkout.root.deletingLastPathComponent().appending(path: "shared/data/routes")
        let recorded = ["cerknicko-jezero.gpx", "korita-zbevnica.gpx"].map { folder.appending(path: $0).path }
            .filter { FileManager.default.fileExists(atPath: $0) }
        let files = recorded.isEmpty ? [Checkout.file("ops/sample-route.gpx").path] : recorded
        return try files.flatMap { file in
            let points = try GPXReader.read(contentsOfFile: file).points
            return stride(from: 0, to: points.count, by: length).prefix(2).map {
                Array(points[$0..<min($0 + length, points.count)])
            }
        }
    }
}

extension [RoutePoint] {
    /// The track as a phone records it between houses: every `count`th point is accurate to only 30 m.
    func blurred(every count: Int) -> [RoutePoint] {
        enumerated().map { index, point in
            var point = point
            point.horizontalAccuracy = index % count == count - 1 ? 30 : 5
            return point
        }
    }
}
