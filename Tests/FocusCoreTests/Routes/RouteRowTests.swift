import SeededNumbers
import Testing

@testable import FocusCore

@Suite struct RouteRowTests {
    private static let device = DeviceID(text: "0190a6e0-1111-7000-8000-000000000001")!

    private func row(_ count: Int, seed: UInt64) -> RouteRow {
        var random = SplitMix64(seed: seed)
        var track = RouteTrack()
        track.insert(RouteFixtures.messyWalk(count, using: &random))
        return RouteRow(
            routeID: "run/1", activity: "running", utcOffsetSeconds: -12_600, state: .finished, startedBy: Self.device,
            workoutID: "w", metadata: ["b": "2", "a": "", "é": "x"], aggregates: track.aggregates,
            polyline: track.polyline())
    }

    @Test("R5: a row is read back as it was", arguments: 1...4)
    func roundTrip(seed: UInt64) throws {
        let row = row(Int(seed) * 700, seed: seed)
        #expect(try RouteRow(decoding: row.encoded) == row)
        var open = RouteRow(routeID: "r", activity: "", utcOffsetSeconds: 0, startedBy: Self.device)
        #expect(try RouteRow(decoding: open.encoded) == open)
        open.workoutID = ""
        open.aggregates = RouteFixtures.aggregates([RouteFixtures.point(at: 0, altitude: 0)])
        #expect(try RouteRow(decoding: open.encoded) == open)
    }

    @Test("S9: equal rows have equal bytes, whatever order their metadata came in")
    func canonical() {
        let keys = (0..<50).map { "key \($0)" }
        var (forwards, backwards) = (row(10, seed: 1), row(10, seed: 1))
        forwards.metadata = [:]
        backwards.metadata = [:]
        for key in keys { forwards.metadata[key] = key }
        for key in keys.reversed() { backwards.metadata[key] = key }
        #expect(forwards.encoded == backwards.encoded)
    }

    @Test("S9: the bytes of a small row, field by field")
    func knownBytes() {
        var row = RouteRow(routeID: "r", activity: "run", utcOffsetSeconds: 1, startedBy: Self.device)
        row.metadata = ["k": "v"]
        row.aggregates.start = Timestamp(microseconds: 0)
        let device = Array("0190a6e0-1111-7000-8000-000000000001".utf8)
        let expected: [UInt8] =
            [0x0A, 1, 0x72, 0x12, 3, 0x72, 0x75, 0x6E, 0x18, 1, 0x20, 1, 0x2A, 36] + device
            + [0x3A, 6, 0x0A, 1, 0x6B, 0x12, 1, 0x76, 0x42, 4, 0x0A, 0, 0x10, 0]
        #expect(row.encoded == expected)
    }

    @Test("R5: damaged rows are errors, never traps", arguments: 1...4)
    func damage(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let bytes = row(300, seed: seed).encoded
        for _ in 0..<2_000 {
            var damaged = bytes
            for _ in 0..<3 {
                damaged[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? RouteRow(decoding: damaged)
        }
        #expect(throws: ProtoError.truncated) { try RouteRow(decoding: Array(bytes.dropLast())) }
    }

    @Test("R2: counts are read back as they were, and absurd ones refused")
    func counts() throws {
        let counts = RouteCounts(accepted: 5, duplicate: 4, notFinite: 3, impossible: 2, inaccurate: 1)
        #expect(try RouteCounts(decoding: counts.encoded[...]) == counts)
        #expect(counts.logged == 15 && counts.dropped == 6)
        let absurd = RouteCounts(accepted: .max)
        #expect(throws: ProtoError.malformed) { try RouteCounts(decoding: absurd.encoded[...]) }
    }
}
