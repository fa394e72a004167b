import SeededNumbers
import Testing

@testable import FocusCore

@Suite struct RouteChunkTests {
    /// The rows that a store holds when it writes only changed chunks.
    private struct Store {
        var rows: [Int: [UInt8]] = [:]
        mutating func take(from track: inout RouteTrack) {
            for id in track.drainChangedChunkIDs() { rows[id] = track.chunk(id) }
        }
    }

    @Test("R3: a track restored from its changed chunks equals it, and goes on equally", arguments: 1...8)
    func restoring(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let points = RouteFixtures.messyWalk(2_000, using: &random)
        var track = RouteTrack()
        var store = Store()
        for batch in RouteFixtures.batches(points, using: &random) {
            track.insert(batch)
            store.take(from: &track)
            guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
            let restored = try RouteTrack(chunks: store.rows, counts: track.counts)
            #expect(restored == track && restored.aggregates == track.aggregates, "seed \(seed)")
            track = restored
        }
        #expect(Set(store.rows.keys) == Set(track.chunkIDs), "seed \(seed)")
        var uninterrupted = RouteTrack()
        var again = SplitMix64(seed: seed)
        let same = RouteFixtures.messyWalk(2_000, using: &again)
        uninterrupted.insert(same)
        #expect(uninterrupted.aggregates == track.aggregates, "seed \(seed)")
    }

    @Test("R3: chunks stay small, and an insert at the end touches the last ones only")
    func smallChunks() {
        var random = SplitMix64(seed: 9)
        let points = RouteFixtures.walk(2_000, using: &random)
        var track = RouteTrack()
        track.insert(Array(points[..<1_000]))
        #expect(track.drainChangedChunkIDs() == [0, 1, 2, 3])
        track.insert([points[1_000]])
        #expect(track.drainChangedChunkIDs() == [3] && track.drainChangedChunkIDs() == [])
        track.insert([points[5]])
        #expect(track.drainChangedChunkIDs() == [], "a repeated point changes a count, no chunk")
        track.insert(Array(points[1_001...]))
        #expect(track.drainChangedChunkIDs() == [3, 4, 5, 6, 7])
        #expect(track.chunks.allSatisfy { $0.points.count <= RouteChunk.capacity })
    }

    @Test("R3: a late batch cuts a full chunk and touches no other")
    func lateBatch() {
        let points = (0..<1_024).map { RouteFixtures.point(at: Double($0), north: Double($0)) }
        let late = (0..<600).map { RouteFixtures.point(at: 300.25 + Double($0) / 10_000, north: 300.25) }
        var track = RouteTrack()
        track.insert(points)
        _ = track.drainChangedChunkIDs()
        track.insert(late)
        #expect(track.drainChangedChunkIDs() == [1, 4, 5, 6])
        #expect(track.chunks.map(\.id) == [0, 1, 4, 5, 6, 2, 3])
        #expect(track.chunks.allSatisfy { $0.points.count <= RouteChunk.capacity })
        #expect(track.aggregates == RouteFixtures.aggregates(late + points))
    }

    @Test("R3: the coding keeps every bit and takes less than two thirds of the space", arguments: 1...3)
    func coding(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let points = RouteFixtures.walk(RouteChunk.capacity, using: &random)
        let bytes = RouteChunkCoding.bytes(of: points)
        #expect(try RouteChunkCoding.points(from: bytes) == points, "seed \(seed)")
        #expect(bytes.count < points.count * 42, "seed \(seed): \(bytes.count / points.count) bytes a point")
        let extremes = [
            RoutePoint(
                time: Timestamp(microseconds: .min), latitude: -90, longitude: .leastNonzeroMagnitude, altitude: 1e7,
                horizontalAccuracy: 50, verticalAccuracy: 0, speed: -.greatestFiniteMagnitude, course: 1e308),
            RoutePoint(time: Timestamp(microseconds: .max), latitude: 90, longitude: -180),
        ]
        #expect(try RouteChunkCoding.points(from: RouteChunkCoding.bytes(of: extremes)) == extremes)
    }

    @Test("R3: every version of the server writes the same bytes of a chunk")
    func format() {
        let points = [
            RoutePoint(
                time: Timestamp(microseconds: 1_000_000), latitude: 47.5, longitude: 8.25, altitude: 400.5,
                horizontalAccuracy: 5, verticalAccuracy: 3, speed: 1.5, course: 90),
            RoutePoint(
                time: Timestamp(microseconds: 2_000_000), latitude: 47.5, longitude: -8.25, altitude: 400.75,
                horizontalAccuracy: 5, verticalAccuracy: 3, speed: 1.25, course: 90),
        ]
        let expected: [UInt8] = [
            0x01,
            0x80, 0x89, 0x7A,
            0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xE0, 0xC7, 0x80, 0x01,
            0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xC0, 0xA0, 0x80, 0x01,
            0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x84, 0xF9, 0x80, 0x01,
            0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x94, 0x80, 0x01,
            0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x88, 0x80, 0x01,
            0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xF8, 0x7F,
            0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xC0, 0xD6, 0x80, 0x01,
            0x80, 0x89, 0x7A,
            0x00,
            0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01,
            0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02,
            0x00,
            0x00,
            0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x03,
            0x00,
        ]
        #expect(RouteChunkCoding.bytes(of: points) == expected)
    }

    @Test("R3: damaged chunks are refused, never trapped on", arguments: 1...4)
    func damage(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let bytes = RouteChunkCoding.bytes(of: RouteFixtures.walk(40, using: &random))
        for _ in 0..<500 {
            var damaged = bytes
            damaged[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            damaged.removeLast(Int.random(in: 0..<20, using: &random))
            // Some damage results in other valid points; none may trap.
            _ = try? RouteTrack(chunks: [0: damaged], counts: RouteCounts(accepted: 40))
        }
        let first = bytes
        let counts = RouteCounts(accepted: 80)
        #expect(throws: RouteTrackError.inconsistent) { try RouteTrack(chunks: [0: first, 1: first], counts: counts) }
        #expect(throws: RouteTrackError.inconsistent) { try RouteTrack(chunks: [0: first], counts: counts) }
        #expect(throws: RouteTrackError.malformedChunk(3)) { try RouteTrack(chunks: [3: []], counts: RouteCounts()) }
        #expect(throws: RouteTrackError.malformedChunk(3)) {
            try RouteTrack(chunks: [3: [2, 0]], counts: RouteCounts())
        }
    }

    @Test("R3: chunk keys are read back, whatever the route is called")
    func keys() {
        for route in ["run", "a/b", "", "ü/7"] {
            let key = RouteChunkKey(routeID: route, chunk: 12)
            #expect(RouteChunkKey(key.description) == key)
        }
        for text in ["run", "run/", "run/-1", "run/+1", "run/01", "run/x"] { #expect(RouteChunkKey(text) == nil) }
    }
}
