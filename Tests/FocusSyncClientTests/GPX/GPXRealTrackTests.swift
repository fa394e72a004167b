import FocusCore
import FocusSyncClient
import Foundation
import Support
import Testing

/// Public recordings with the figures that GeographicLib computes. They lie beside the checkout; without them the test
/// is skipped.
@Suite struct GPXRealTrackTests {
    private static let folder = Checkout.root.deletingLastPathComponent().appending(path: "shared/data/routes")
    private static let isThere = FileManager.default.fileExists(atPath: folder.appending(path: "expected.json").path)

    private struct Expected: Decodable {
        var points: Int
        var timed: Int
        var distinct: Int
        var distanceM: Double
        var durationS: Double
        var start: Date
        var end: Date
        var largestGapS: Double
        var gapsOver3S: Int
        var minAlt: Double
        var maxAlt: Double
        var minLat: Double
        var maxLat: Double
        var minLon: Double
        var maxLon: Double
    }

    @Test(
        "R5, R8: a recorded track has the figures that GeographicLib gives", .enabled(if: isThere),
        arguments: ["cerknicko-jezero.gpx", "korita-zbevnica.gpx"])
    func realTrack(name: String) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let all = try Data(contentsOf: Self.folder.appending(path: "expected.json"))
        let expected = try #require(try decoder.decode([String: Expected].self, from: all)[name])

        let file = try GPXReader.read(contentsOfFile: Self.folder.appending(path: name).path)
        #expect(file.points.count == expected.timed)
        #expect(file.points.count + file.pointsWithoutTime == expected.points)

        var track = RouteTrack()
        track.insert(file.points)
        let route = track.aggregates
        #expect(route.counts == RouteCounts(accepted: expected.distinct, duplicate: expected.timed - expected.distinct))
        #expect(abs(route.distance - expected.distanceM) <= 1e-6 * expected.distanceM)
        #expect(route.durationMicroseconds == Int64(expected.durationS * 1e6))
        #expect(route.start == Timestamp(microseconds: Int64(expected.start.timeIntervalSince1970) * 1_000_000))
        #expect(route.end == Timestamp(microseconds: Int64(expected.end.timeIntervalSince1970) * 1_000_000))
        #expect(route.largestGapMicroseconds == Int64(expected.largestGapS * 1e6))
        #expect(route.gapsOver3Seconds == expected.gapsOver3S)
        #expect(route.altitude == expected.minAlt...expected.maxAlt)
        let box = RouteBounds(
            south: expected.minLat, west: expected.minLon, north: expected.maxLat, east: expected.maxLon)
        #expect(route.bounds == box)
    }

    @Test(
        "R5: the project's sample route is what its script says",
        .enabled(if: FileManager.default.fileExists(atPath: sample)))
    func sampleRoute() throws {
        let file = try GPXReader.read(contentsOfFile: Self.sample)
        var track = RouteTrack()
        track.insert(file.points)
        let route = track.aggregates
        #expect(route.counts.accepted > 1_000 && route.counts.dropped == 0 && file.pointsWithoutTime == 0)
        #expect(route.gapsOver3Seconds == 1 && route.movingMicroseconds < route.durationMicroseconds - 30_000_000)
    }

    private static let sample = Checkout.file("ops/sample-route.gpx").path
}
