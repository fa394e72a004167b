import FocusCore
import Foundation
import SeededNumbers
import Testing

@testable import FocusSyncClient

@Suite struct GPXWriterTests {
    static func row(_ points: [RoutePoint], id: String = "r", activity: String = "running") -> RouteRow {
        var track = RouteTrack()
        track.insert(points)
        return RouteRow(
            routeID: id, activity: activity, utcOffsetSeconds: 3_600, state: .finished,
            startedBy: DeviceID(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))), workoutID: "w",
            metadata: ["weather": "rain \"& wind\""], aggregates: track.aggregates)
    }

    private func gpx(_ points: [RoutePoint], id: String = "r", activity: String = "running") throws -> String {
        var text = ""
        GPXWriter.write(try RouteExport(Self.row(points, id: id, activity: activity), points), to: &text)
        return text
    }

    /// Points with random bits in latitude, longitude, altitude and time.
    static func points(_ seed: UInt64, count: Int = 400) -> [RoutePoint] {
        var random = SplitMix64(seed: seed)
        var time: Int64 = -62_135_596_800_000_000
        return (0..<count).map { index in
            time += Int64.random(in: 1...1_000_000_000_000_000, using: &random) / 7
            let small = [1, 1e-3, 1e-6].randomElement(using: &random)!
            return RoutePoint(
                time: Timestamp(microseconds: time - time % [1, 10, 1_000, 1_000_000][index % 4]),
                latitude: Double.random(in: -90...90, using: &random) * small,
                longitude: Double.random(in: -179.9...179.9, using: &random) * small,
                altitude: index % 3 == 0 ? 0 : Double.random(in: -500...9_000, using: &random),
                verticalAccuracy: index % 3 == 0 ? -1 : 0)
        }
    }

    @Test("R8: what is written is read back, bit by bit", arguments: 1...8 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        let points = Self.points(seed).filter { abs($0.latitude) >= 1e-7 && abs($0.longitude) >= 1e-7 }
        let file = try GPXReader.read(Data(try gpx(points.shuffled()).utf8))
        #expect(file.points == points && file.pointsWithoutTime == 0, "seed \(seed)")
        #expect(file.tracks[0].name == "r" && file.tracks[0].type == "running")
    }

    @Test("R8: times are UTC, with no more of a fraction than they have")
    func times() {
        let times: [(Int64, String)] = [
            (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:00.000001Z"), (-1, "1969-12-31T23:59:59.999999Z"),
            (1_500_000, "1970-01-01T00:00:01.5Z"), (10_000_000, "1970-01-01T00:00:10Z"),
            (1_700_000_000_120_000, "2023-11-14T22:13:20.12Z"), (-62_135_596_800_000_000, "0001-01-01T00:00:00Z"),
        ]
        for (microseconds, text) in times {
            let time = Timestamp(microseconds: microseconds)
            #expect(GPXTime.text(time) == text && Timestamp(rfc3339: text) == time)
            #expect(Timestamp(rfc3339: time.rfc3339) == time)
        }
    }

    @Test("R8: elevation stands where it is known, and only there")
    func elevation() throws {
        let points = [(0, 3.0), (1, -1), (2, 0)].map { second, accuracy in
            RoutePoint(
                time: Timestamp(microseconds: second * 1_000_000), latitude: 1, longitude: 2, altitude: -12.5,
                verticalAccuracy: accuracy)
        }
        let lines = try gpx(points).split(separator: "\n").filter { $0.hasPrefix("<trkpt") }
        #expect(lines.map { $0.contains("<ele>-12.5</ele><time>") } == [true, false, true])
        #expect(lines[1] == #"<trkpt lat="1" lon="2"><time>1970-01-01T00:00:01Z</time></trkpt>"#)
    }

    @Test("R8: names are escaped; what XML cannot hold is replaced")
    func escaping() throws {
        let id = "a<b>&\"c\"']]> \u{1}\u{FFFE}\u{0}é\u{1F3C3}\r\n\tx"
        let file = try GPXReader.read(Data(try gpx(Self.points(1), id: id, activity: "<&>").utf8))
        let name = "a<b>&\"c\"']]> \u{FFFD}\u{FFFD}\u{FFFD}é\u{1F3C3}\r\n\tx"
        #expect(file.tracks[0].name?.unicodeScalars.elementsEqual(name.unicodeScalars) == true)
        #expect(file.tracks[0].type == "<&>")
        #expect(try !gpx(Self.points(1), activity: "").contains("<type>"))
    }

    @Test("R8: longitude 180, which GPX does not have, is the same place at -180")
    func antimeridian() throws {
        let points = [-180, 180, 179.999].enumerated().map {
            RoutePoint(time: Timestamp(microseconds: Int64($0.offset)), latitude: 0, longitude: $0.element)
        }
        let file = try GPXReader.read(Data(try gpx(points).utf8))
        #expect(file.points.map(\.longitude) == [-180, -180, 179.999])
    }

    @Test("R8: only a finished route is exported, and one whose times the formats hold")
    func refusals() throws {
        let points = Self.points(1, count: 3)
        var row = Self.row(points)
        row.state = .open
        #expect(throws: RouteExportError.notFinished) { try RouteExport(row, points) }
        for time in [-62_135_596_800_000_001, 253_402_300_800_000_000, Int64.min, .max] {
            let point = RoutePoint(time: Timestamp(microseconds: time), latitude: 0, longitude: 0)
            #expect(throws: RouteExportError.impossibleTime(point.time)) {
                try RouteExport(Self.row(points), points + [point])
            }
        }
    }

    @Test(
        "R8: numbers have no exponent and no more digits than they need",
        arguments: [
            (0, "0"), (-0.0, "0"), (1, "1"), (-180, "-180"), (46.05, "46.05"), (0.0001, "0.0001"), (1e-5, "0.00001"),
            (-1.25e-5, "-0.0000125"), (1e-7, "0.0000001"), (1e-8, "0.00000001"), (1.5e-9, "0.0000000015"),
            (-4e-16, "0"), (1e-300, "0"), (6e-16, "0.000000000000001"), (0.1 + 0.2, "0.30000000000000004"),
            (9_007_199_254_740_991, "9007199254740991"), (20_000_000_000_000.5, "20000000000000.5"),
        ] as [(Double, String)])
    func decimals(number: Double, text: String) {
        #expect(DecimalText.text(number) == text)
    }
}
