import SeededNumbers
import Testing

@testable import FocusCore

@Suite struct RouteStretchTests {
    /// The fastest stretch by exhaustive search over every one that starts or ends at a point: rule R7's definition
    /// taken literally.
    private func reference(_ route: RouteDistances, _ length: Int64) -> RouteStretch? {
        var found: [RouteStretch] = []
        func add(_ start: Timestamp?, _ end: Timestamp?) {
            guard let start, let end else { return }
            found.append(
                RouteStretch(
                    metres: length, start: start, durationMicroseconds: max(1, end.microseconds - start.microseconds)))
        }
        for index in route.metres.indices {
            add(route.times[index], earliest(route, route.metres[index] + Double(length)))
            add(latest(route, route.metres[index] - Double(length)), route.times[index])
        }
        return found.min { ($0.durationMicroseconds, $0.start) < ($1.durationMicroseconds, $1.start) }
    }

    /// The first moment at which `metres` were covered.
    private func earliest(_ route: RouteDistances, _ metres: Double) -> Timestamp? {
        guard metres >= 0 else { return nil }
        for index in route.metres.indices where route.metres[index] >= metres {
            return index == 0 ? route.times[0] : between(route, index, metres)
        }
        return nil
    }

    /// The last moment at which no more than `metres` were covered.
    private func latest(_ route: RouteDistances, _ metres: Double) -> Timestamp? {
        guard metres >= 0, let last = route.metres.lastIndex(where: { $0 <= metres }) else { return nil }
        return last == route.metres.count - 1 ? route.times[last] : between(route, last + 1, metres)
    }

    private func between(_ route: RouteDistances, _ index: Int, _ metres: Double) -> Timestamp {
        let part = (metres - route.metres[index - 1]) / (route.metres[index] - route.metres[index - 1])
        let gap = route.times[index].microseconds - route.times[index - 1].microseconds
        return Timestamp(microseconds: route.times[index - 1].microseconds + Int64((part * Double(gap)).rounded()))
    }

    private func route(_ seed: UInt64) -> [RoutePoint] {
        var random = SplitMix64(seed: seed)
        let count = Int.random(in: 2...900, using: &random)
        switch seed % 3 {
        case 0: return RouteFixtures.walk(count, using: &random)
        case 1:
            // Sparse points: windows begin and end within segments, and some segments are longer than a window.
            var (second, north) = (0.0, 0.0)
            return (0..<count).map { _ in
                second += Double.random(in: 0.5...300, using: &random)
                if Int.random(in: 0..<4, using: &random) > 0 { north += Double.random(in: 0...900, using: &random) }
                if Int.random(in: 0..<60, using: &random) == 0 { north += 6_000 }
                return RouteFixtures.point(at: second, north: north)
            }
        default:
            // Equal steps at equal speeds: all stretches tie except for rounding.
            return (0..<count).map { RouteFixtures.point(at: Double($0), north: Double($0) * 10) }
        }
    }

    @Test("R7: the fastest stretches are those of a plain search", arguments: 1...45 as ClosedRange<UInt64>)
    func plainSearch(seed: UInt64) {
        let distances = RouteDistances(route(seed))
        for length in [1, 250] + RouteStretch.lengths {
            #expect(distances.fastest(length) == reference(distances, length), "seed \(seed), \(length) m")
        }
    }

    @Test("R7: no stretch between any two moments is faster", arguments: 1...15 as ClosedRange<UInt64>)
    func anyMoment(seed: UInt64) throws {
        var random = SplitMix64(seed: seed + 1_000)
        let distances = RouteDistances(route(seed))
        for length in RouteStretch.lengths where Double(length) <= distances.total {
            let best = try #require(distances.fastest(length)).durationMicroseconds
            for _ in 0..<3_000 {
                let from = Double.random(in: 0...(distances.total - Double(length)), using: &random)
                let start = try #require(latest(distances, from))
                let end = try #require(distances.time(reaching: from + Double(length)))
                // Both ends are rounded to a microsecond.
                #expect(end.microseconds - start.microseconds >= best - 2, "seed \(seed), \(length) m from \(from)")
            }
        }
    }

    @Test("R7: pauses count, but a stretch begins after one and ends before one")
    func pauses() throws {
        // 1 km in 100 s, a pause of 200 s, 1 km in 100 s: the best kilometre avoids the pause, the best 1.5 km contain
        // it.
        let points = [(0.0, 0.0), (100, 1_001), (300, 1_001), (400, 2_002), (900, 2_002)].map {
            RouteFixtures.point(at: $0.0, north: $0.1)
        }
        let distances = RouteDistances(points)
        let best = try #require(distances.fastest(1_000))
        let perKilometre = 100 * 1_000 / distances.metres[1]
        #expect(abs(Double(best.durationMicroseconds) / 1e6 - perKilometre) < 1e-3)
        // The first of equal stretches wins; rounding decides within a microsecond.
        #expect(best.start < RouteFixtures.time(300.01))
        let both = try #require(distances.fastest(1_500))
        #expect(abs(Double(both.durationMicroseconds) / 1e6 - (200 + 1.5 * perKilometre)) < 1e-3)
    }

    @Test("R7: a route of exactly the length has a stretch, a shorter one has none")
    func lengths() {
        let distances = RouteDistances([(0.0, 0.0), (50, 600)].map { RouteFixtures.point(at: $0.0, north: $0.1) })
        let whole = Int64(distances.total)
        #expect(distances.fastest(whole) != nil && distances.fastest(whole + 1) == nil)
        #expect(distances.fastestStretches.isEmpty && RouteDistances([]).fastestStretches.isEmpty)
        let equator = RouteDistances([RoutePoint(time: .at(0), latitude: 0, longitude: 0)])
        #expect(equator.fastest(1) == nil)
    }

    @Test("R7: a leap of many kilometres within a microsecond has no infinite speed")
    func leap() {
        let points = [0, 1].map { RoutePoint(time: Timestamp(microseconds: $0), latitude: Double($0), longitude: 0) }
        let stretches = RouteDistances(points).fastestStretches
        #expect(
            stretches.map(\.metres) == RouteStretch.lengths && stretches.allSatisfy { $0.durationMicroseconds == 1 })
    }
}
