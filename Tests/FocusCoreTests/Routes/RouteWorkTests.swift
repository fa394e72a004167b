import SeededNumbers
import Testing

@testable import FocusCore

/// The cost of inserting points, counted instead of timed: `RouteWork` says how often a point was folded.
@Suite struct RouteWorkTests {
    private static let count = 100_000

    /// A random walk of 100,000 points.
    private static let points: [RoutePoint] = {
        var random = SplitMix64(seed: 77)
        return RouteFixtures.walk(count, using: &random)
    }()

    private func track(_ points: some Sequence<RoutePoint>) -> RouteTrack {
        var track = RouteTrack()
        track.insert(Array(points))
        return track
    }

    /// The work of a single insert.
    private func work(_ points: [RoutePoint], into track: inout RouteTrack) -> RouteWork {
        let before = track.work
        track.insert(points)
        return RouteWork(
            folded: track.work.folded - before.folded, kept: track.work.kept - before.kept,
            altitudes: track.work.altitudes - before.altitudes,
            joined: track.work.joined - before.joined)
    }

    @Test("R5: points at the end are folded once each, in whatever batches, and nothing else is done")
    func appending() {
        var track = RouteTrack()
        for start in stride(from: 0, to: Self.count, by: 3_000) {
            track.insert(Array(Self.points[start..<min(Self.count, start + 3_000)]))
        }
        #expect(track.work == RouteWork(folded: Self.count) && track.counts.accepted == Self.count)
    }

    @Test("R3: a late point folds its own chunk again and no other, wherever in 100,000 points it belongs")
    func latePoint() {
        let places = [0, 1, 5_000, 50_000, 99_000, 99_998]
        var late = track(Self.points.indices.filter { !places.contains($0) }.map { Self.points[$0] })
        for place in places {
            let chunks = late.chunks.count
            let cost = work([Self.points[place]], into: &late)
            #expect(cost.folded <= RouteChunk.capacity + 1, "\(place)")
            #expect(cost.joined <= chunks + 1, "\(place)")
            // Gain and loss are the same again after a hill or two, so the recount of altitudes stops there.
            #expect(cost.altitudes <= 4 * RouteChunk.capacity, "\(place)")
        }
        #expect(late.aggregates == track(Self.points).aggregates)
    }

    @Test("Q1: late points are measured, and the ways to their neighbours; what stays between neighbours is not")
    func measuresWhatIsNew() {
        let points = Array(Self.points[..<30_000])
        let late = stride(from: 1, to: 30_000, by: 10).map { points[$0] }
        let times = Set(late.map(\.time))
        var track = track(points.filter { !times.contains($0.time) })
        let cost = work(late, into: &track)
        // One late point in ten: itself, and the one behind it.
        #expect(cost.folded <= 2 * late.count && cost.folded + cost.kept >= 30_000)
        #expect(track.aggregates == self.track(points).aggregates)
        let (kept, measured) = (track.distances, RouteDistances(track.points))
        #expect(kept.times == measured.times && kept.metres == measured.metres)
    }

    @Test("R3: points that are there already fold nothing")
    func repeats() {
        var whole = track(Self.points)
        for place in [0, 40_000, 99_990] {
            #expect(work(Array(Self.points[place..<place + 10]), into: &whole) == RouteWork())
        }
        #expect(whole.counts.duplicate == 30)
    }

    @Test("R3: a route that arrives backwards folds each point a few times, however long it is")
    func backwards() {
        func folded(_ count: Int) -> (RouteWork, RouteTrack) {
            var track = RouteTrack()
            for start in stride(from: count - 100, through: 0, by: -100) {
                track.insert(Array(Self.points[start..<start + 100]))
            }
            return (track.work, track)
        }
        for count in [10_000, 20_000, 40_000] {
            let (work, track) = folded(count)
            #expect(work.folded <= 5 * count && work.altitudes <= 5 * count, "\(count): \(work)")
            #expect(work.joined <= count / 100 * track.chunks.count, "\(count): \(work)")
            #expect(track.aggregates == self.track(Self.points[..<count]).aggregates)
        }
    }

    @Test("R3: every other point late, in batches: no more than the chunks that they belong to", arguments: [1, 2])
    func interleaved(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let points = Self.points[..<30_000]
        let late = points.filter { _ in Bool.random(using: &random) }
        let times = Set(late.map(\.time))
        var track = track(points.filter { !times.contains($0.time) })
        var folded = 0
        for batch in RouteFixtures.batches(late, using: &random) {
            let cost = work(batch, into: &track)
            folded += cost.folded
            #expect(cost.folded <= batch.count * (RouteChunk.capacity + 1), "seed \(seed)")
            #expect(cost.folded <= track.counts.accepted, "seed \(seed)")
        }
        #expect(folded > 0 && track.aggregates == self.track(points).aggregates, "seed \(seed)")
    }

    @Test("R5: a late peak before a plain, a climb or hills settles without going through what follows")
    func settling() {
        let shapes: [(String, @Sendable (Int) -> Double)] = [
            ("plain", { Double($0 % 3) * 0.5 }), ("climb", { Double($0) * 0.2 }), ("fall", { Double($0) * -0.2 }),
            ("hills", { Double(abs($0 % 200 - 100)) }), ("saw", { Double($0 % 7) }),
        ]
        for (name, altitude) in shapes {
            let points = (0..<20_000).map {
                RouteFixtures.point(at: Double($0), north: Double($0), altitude: altitude($0))
            }
            for peak in [-2_000.0, 2.5, 2_000] {
                let late = RouteFixtures.point(at: 0.5, altitude: peak)
                var whole = track(points)
                let cost = work([late], into: &whole)
                #expect(cost.altitudes <= 4 * RouteChunk.capacity, "\(name), \(peak)")
                #expect(whole.aggregates == track([points[0], late] + points[1...]).aggregates, "\(name), \(peak)")
            }
        }
    }
}
