import FocusCore
import Foundation
import Testing

@testable import FocusSyncClient

/// The licence of the public schema (http://www.topografix.com/GPX/1/1/gpx.xsd) is unclear, so the repository does not
/// contain it. `GPX_XSD=/path/to/gpx.xsd ops/test --filter GPXSchema` runs these tests with libxml2's `xmllint`.
@Suite struct GPXSchemaTests {
    private static let schema = ProcessInfo.processInfo.environment["GPX_XSD"]
    private static let isThere = schema != nil

    /// What xmllint says about the export; empty if the export is valid.
    private func complaints(_ points: [RoutePoint], id: String = "r", activity: String = "running") throws -> String {
        var text = ""
        GPXWriter.write(try RouteExport(GPXWriterTests.row(points, id: id, activity: activity), points), to: &text)
        return try complaints(text)
    }

    private func complaints(_ text: String) throws -> String {
        let file = URL(filePath: NSTemporaryDirectory()).appending(path: "gpx-\(UUID().uuidString).gpx")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["xmllint", "--noout", "--schema", Self.schema ?? "", file.path]
        let output = Pipe()
        process.standardError = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? "" : said
    }

    @Test(
        "R8: what is exported is valid by the GPX 1.1 schema", .enabled(if: isThere),
        arguments: 1...6 as ClosedRange<UInt64>)
    func valid(seed: UInt64) throws {
        #expect(try complaints(GPXWriterTests.points(seed)) == "", "seed \(seed)")
    }

    @Test("R8: so it is at every edge of its values", .enabled(if: isThere))
    func edges() throws {
        let tiny = Double.leastNonzeroMagnitude
        var points = [
            (90, 180), (-90, -180), (0, 179.999_999_999_999_97), (tiny, -tiny), (1e-7, 1.234_567_890_123e-7),
        ]
        .enumerated().map { index, place in
            RoutePoint(
                time: Timestamp(microseconds: Int64(index) * 333_333), latitude: place.0, longitude: place.1,
                altitude: [10_000_000, -10_000_000, 1e-7, 0, 0.1 + 0.2][index], verticalAccuracy: 0)
        }
        for time in [-62_135_596_800_000_000, -1, 253_402_300_799_999_999 as Int64] {
            points.append(RoutePoint(time: Timestamp(microseconds: time), latitude: 0, longitude: 0))
        }
        #expect(try complaints(points, id: "<&>]]>\"'\u{1}\u{FFFE}\r\n\u{85}\u{1F3C3}", activity: "") == "")
        #expect(try complaints([points[0]], activity: "\u{0}") == "")
    }

    @Test("R8: the schema is one that can say no", .enabled(if: isThere))
    func invalid() throws {
        let head = #"<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>"#
        for point in [#"<trkpt lat="0" lon="180"/>"#, #"<trkpt lat="1e-5" lon="0"/>"#, #"<trkpt lat="0"/>"#] {
            #expect(try complaints("\(head)\(point)</trkseg></trk></gpx>") != "", "\(point)")
        }
    }
}
