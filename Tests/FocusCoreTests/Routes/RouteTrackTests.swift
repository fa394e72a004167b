import SeededNumbers
import Testing

@testable import FocusCore

@Suite struct RouteTrackTests {
    @Test(
        "R3: any order of arrival, in any batches, gives the same points, counts, aggregates and line",
        arguments: 1...12)
    func anyOrder(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let points = RouteFixtures.messyWalk(Int.random(in: 1...2_500, using: &random), using: &random)
        var whole = RouteTrack()
        whole.insert(points)
        for _ in 0..<3 {
            var pieces = RouteTrack()
            for batch in RouteFixtures.batches(points, using: &random) { pieces.insert(batch) }
            #expect(pieces.points == whole.points, "seed \(seed)")
            #expect(pieces.counts == whole.counts, "seed \(seed)")
            #expect(pieces.aggregates == whole.aggregates, "seed \(seed)")
            #expect(pieces.polyline() == whole.polyline(), "seed \(seed)")
            let rows = [pieces, whole].map { RouteChunkCoding.bytes(of: $0.points) }
            #expect(rows[0] == rows[1], "seed \(seed): equal points have equal bits")
        }
        #expect(whole.counts.logged == points.count, "seed \(seed)")
    }

    @Test("R3: the points are those of a plain sort and choice", arguments: 21...24)
    func plainChoice(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let points = RouteFixtures.messyWalk(700, using: &random)
        var track = RouteTrack()
        for batch in RouteFixtures.batches(points, using: &random) { track.insert(batch) }
        let passed = points.filter { RouteFilter.reasonToDrop($0) == nil }
        let best = Dictionary(grouping: passed, by: \.time).values.map { rivals in
            rivals.min { ($0.horizontalAccuracy, $0.course) < ($1.horizontalAccuracy, $1.course) }!
        }
        #expect(track.points == best.sorted { $0.time < $1.time }, "seed \(seed)")
        #expect(track.counts.accepted == best.count && track.counts.duplicate == passed.count - best.count)
        #expect(track.counts.dropped == points.count - passed.count, "seed \(seed)")
    }

    @Test("R3: of two points at one microsecond the more accurate stays, in either order, and no speed is infinite")
    func oneMicrosecond() {
        let first = RouteFixtures.point(at: 0)
        var rough = RouteFixtures.point(at: 1, north: 500)
        rough.horizontalAccuracy = 20
        let fine = RouteFixtures.point(at: 1, north: 2)
        for order in [[first, rough, fine], [fine, rough, first], [rough, first, fine]] {
            var track = RouteTrack()
            for point in order { track.insert([point]) }
            #expect(track.points == [first, fine])
            #expect(track.counts == RouteCounts(accepted: 2, duplicate: 1))
            #expect(abs(track.aggregates.maximumSpeed - 2) < 0.001)
        }
    }

    @Test("R2: dropped points are counted by reason and are in nothing else")
    func droppedCounts() {
        var bad = (0..<4).map { RouteFixtures.point(at: Double($0), north: 9_000) }
        bad[0].horizontalAccuracy = 50.01
        bad[1].horizontalAccuracy = -1
        bad[2].longitude = 181
        bad[3].altitude = .infinity
        var track = RouteTrack()
        track.insert(bad)
        #expect(track.counts == RouteCounts(notFinite: 1, impossible: 1, inaccurate: 2))
        #expect(track.isEmpty && track.aggregates.distance == 0 && track.aggregates.start == nil)
        #expect(track.drainChangedChunkIDs() == [])
    }

    @Test("R3: an empty batch, an empty track")
    func nothing() {
        var track = RouteTrack()
        track.insert([])
        #expect(track.aggregates == RouteAggregates() && track.polyline().encoded == "" && track.points.isEmpty)
    }

    @Test("R3: points at the end are folded as if they had come at once", arguments: [31])
    func appending(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let points = RouteFixtures.walk(3_000, using: &random)
        var track = RouteTrack()
        for start in stride(from: 0, to: points.count, by: 7) {
            track.insert(Array(points[start..<min(points.count, start + 7)]))
        }
        #expect(track.aggregates == RouteFixtures.aggregates(points), "seed \(seed)")
        #expect(track.chunks.count == (3_000 + RouteChunk.capacity - 1) / RouteChunk.capacity)
    }

    @Test(
        "R5: a route ends at 8.6 million km, in any order and any batches, and is still measured", arguments: [41, 42])
    func longest(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let points = (0..<900).map { index -> RoutePoint in
            let side = Double(index % 2)
            return RoutePoint(
                time: RouteFixtures.time(Double(index)), latitude: 40 - 80 * side, longitude: 179.5 * side,
                altitude: 1e7 - 2e7 * side, verticalAccuracy: 1)
        }
        var whole = RouteTrack()
        whole.insert(points)
        let aggregates = whole.aggregates
        #expect(abs(aggregates.distance - 0x1p33) < 1 && aggregates.splits.count == RouteSplit.maximumKilometres + 1)
        #expect(abs(aggregates.elevationGain - 0x1p33) < 1 && aggregates.averageSpeed.isFinite)
        var pieces = RouteTrack()
        for batch in RouteFixtures.batches(points, using: &random) { pieces.insert(batch) }
        #expect(pieces.aggregates == aggregates && pieces.points == whole.points, "seed \(seed)")
        #expect(whole.distances.fastestStretches.count == 3 && whole.distances.total == aggregates.distance)
        #expect(whole.distances.speed(from: RouteFixtures.time(0), to: RouteFixtures.time(899)) != nil)
    }

    @Test("R3: times at both ends of their range do not trap")
    func extremeTimes() {
        var points = [Int64.min, -1, 0, .max].enumerated().map { index, time in
            RoutePoint(time: Timestamp(microseconds: time), latitude: Double(index) * 20, longitude: Double(index) * 50)
        }
        points.append(RoutePoint(time: Timestamp(microseconds: 5), latitude: -90, longitude: 0))
        let aggregates = RouteFixtures.aggregates(points)
        #expect(aggregates.durationMicroseconds == .max && aggregates.distance.isFinite)
        #expect(aggregates.splits.count == RouteSplit.maximumKilometres + 1)
    }
}
