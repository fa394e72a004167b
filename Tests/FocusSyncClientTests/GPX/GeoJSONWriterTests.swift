import FocusCore
import Foundation
import Testing

@testable import FocusSyncClient

@Suite struct GeoJSONWriterTests {
    /// Decodes with JSONDecoder because JSONSerialization rounds numbers a second time.
    private struct Line: Decodable {
        struct Geometry: Decodable {
            var type: String
            var coordinates: [[Double]]
        }
        struct Properties: Decodable { var coordTimes: [String] }
        var bbox: [Double]
        var geometry: Geometry
        var properties: Properties
    }

    private func feature(_ points: [RoutePoint], id: String = "r") throws -> [String: Any] {
        var text = ""
        GeoJSONWriter.write(try RouteExport(GPXWriterTests.row(points, id: id), points), to: &text)
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(object as? [String: Any])
    }

    private func geometry(_ feature: [String: Any]) throws -> (type: String, coordinates: Any) {
        let geometry = try #require(feature["geometry"] as? [String: Any])
        return (try #require(geometry["type"] as? String), try #require(geometry["coordinates"]))
    }

    private func times(_ feature: [String: Any]) throws -> Any {
        try #require((feature["properties"] as? [String: Any])?["coordTimes"])
    }

    private func point(_ second: Int64, _ latitude: Double, _ longitude: Double, _ altitude: Double?) -> RoutePoint {
        RoutePoint(
            time: Timestamp(microseconds: second * 1_000_000), latitude: latitude, longitude: longitude,
            altitude: altitude ?? 0, verticalAccuracy: altitude == nil ? -1 : 1)
    }

    @Test(
        "R8: a line of longitude, latitude and known altitude, with a time for each",
        arguments: 1...4 as ClosedRange<UInt64>)
    func line(seed: UInt64) throws {
        // Only points east of Greenwich, so that the line never comes near the antimeridian.
        let points = GPXWriterTests.points(seed).filter { $0.longitude > 1e-7 && abs($0.latitude) > 1e-7 }
        var text = ""
        GeoJSONWriter.write(try RouteExport(GPXWriterTests.row(points), points), to: &text)
        let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
        let expected = points.map { [$0.longitude, $0.latitude] + ($0.verticalAccuracy < 0 ? [] : [$0.altitude]) }
        #expect(line.geometry.type == "LineString" && line.geometry.coordinates == expected, "seed \(seed)")
        #expect(line.properties.coordTimes.map { Timestamp(rfc3339: $0) } == points.map(\.time), "seed \(seed)")
        let bounds = try #require(GPXWriterTests.row(points).aggregates.bounds)
        #expect(line.bbox == [bounds.west, bounds.south, bounds.east, bounds.north])
    }

    @Test("R8: the route's own figures are properties, its texts escaped")
    func properties() throws {
        let id = "a\"\\\u{1}\u{2028}é/"
        let feature = try feature([point(0, 0, 0, 5), point(10, 0, 1e-3, 25), point(11, 0, 1e-3, 9)], id: id)
        #expect(feature["type"] as? String == "Feature" && feature["id"] as? String == id)
        let properties = try #require(feature["properties"] as? [String: Any])
        #expect(properties["routeId"] as? String == id && properties["workoutId"] as? String == "w")
        #expect(properties["activity"] as? String == "running" && properties["utcOffsetSeconds"] as? Int == 3_600)
        #expect(properties["startedAt"] as? String == "1970-01-01T00:00:00Z")
        #expect(properties["endedAt"] as? String == "1970-01-01T00:00:11Z")
        #expect(properties["durationSeconds"] as? Double == 11 && properties["movingSeconds"] as? Double == 10)
        #expect(
            properties["elevationGainMetres"] as? Double == 20 && properties["elevationLossMetres"] as? Double == 16)
        #expect(abs((properties["distanceMetres"] as? Double ?? 0) - 111.3) < 0.1)
        #expect(properties["metadata"] as? [String: String] == ["weather": "rain \"& wind\""])
    }

    @Test("R8: RFC 7946 §3.1.9: a route across the antimeridian is cut there, in both directions")
    func antimeridian() throws {
        let points = [point(0, 0, 179, 10), point(30, 3, -178, 40), point(60, 0, 179, nil)]
        let feature = try feature(points)
        let (type, coordinates) = try geometry(feature)
        #expect(type == "MultiLineString")
        #expect(
            coordinates as? [[[Double]]] == [
                [[179, 0, 10], [180, 1, 20]], [[-180, 1, 20], [-178, 3, 40], [-180, 1]], [[180, 1], [179, 0]],
            ])
        let texts = [0, 10, 10, 30, 50, 50, 60].map { "1970-01-01T00:00:\($0 == 0 ? "00" : $0 == 60 ? "" : "\($0)")Z" }
        let found = try #require(try times(feature) as? [[String]])
        #expect(found.map(\.count) == [2, 3, 2] && Array(found.joined().prefix(6)) == Array(texts.prefix(6)))
        #expect(found[2][1] == "1970-01-01T00:01:00Z" && feature["bbox"] as? [Double] == [179, 0, -178, 3])
    }

    @Test("R8: from one side of the antimeridian to the other without a step, and points upon it")
    func onAntimeridian() throws {
        let (type, coordinates) = try geometry(try feature([point(0, 1, 180, nil), point(1, 2, -180, nil)]))
        #expect(
            type == "MultiLineString"
                && coordinates as? [[[Double]]] == [[[180, 1], [180, 1]], [[-180, 1], [-180, 2]]])
        let (other, line) = try geometry(try feature([point(0, 1, -179, nil), point(1, 2, -180, nil)]))
        #expect(other == "LineString" && line as? [[Double]] == [[-179, 1], [-180, 2]])
    }

    @Test("R8: a single point is a Point")
    func onePoint() throws {
        let feature = try feature([point(0, 1, 2, 3)])
        let (type, coordinates) = try geometry(feature)
        #expect(type == "Point" && coordinates as? [Double] == [2, 1, 3])
        #expect(try times(feature) as? String == "1970-01-01T00:00:00Z")
    }
}
