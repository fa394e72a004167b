import SeededNumbers
import Testing

@testable import FocusCore

@Suite struct RouteProfileTests {
    private func profile(_ points: [RoutePoint], _ count: Int) -> [RouteProfile.Stretch] {
        RouteProfile(points, RouteDistances(points), count: count).stretches
    }

    @Test(
        "R6: stretches of equal length cover the route; their times add up to it",
        arguments: 1...6 as ClosedRange<UInt64>)
    func covers(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let points = RouteFixtures.walk(Int.random(in: 2...600, using: &random), using: &random)
        let total = RouteDistances(points).total
        for count in [1, 7, 80, 1_000] {
            let stretches = profile(points, count)
            #expect(stretches.count == count && stretches.first?.start == 0 && stretches.last?.end == total)
            #expect(zip(stretches, stretches.dropFirst()).allSatisfy { $0.end == $1.start }, "seed \(seed)")
            let seconds = stretches.reduce(0) { $0 + ($1.end - $1.start) / $1.speed }
            // A pause at the end belongs to no stretch.
            let last = try #require(RouteDistances(points).time(reaching: total))
            #expect(abs(seconds - Double(last.microseconds - points[0].time.microseconds) / 1e6) < 0.01)
        }
    }

    @Test("R6: elevation is interpolated over distance between the points that know it")
    func elevation() {
        let points = [(0.0, nil), (10, 100.0), (20, nil), (30, 200), (40, nil)].map { second, altitude in
            RouteFixtures.point(at: second, north: second * 10, altitude: altitude)
        }
        let altitudes = profile(points, 8).map(\.altitude)
        let expected = [100.0, 100, 112.5, 137.5, 162.5, 187.5, 200, 200]
        #expect(zip(altitudes, expected).allSatisfy { abs($0! - $1) < 0.01 })
        #expect(
            profile(points.map { RouteFixtures.point(at: 0, north: $0.latitude) }, 3).allSatisfy { $0.altitude == nil })
    }

    @Test("R6: a route without any way has no profile; a leap has no infinite speed")
    func edges() {
        #expect(profile([], 5).isEmpty && profile([RouteFixtures.point(at: 0)], 5).isEmpty)
        #expect(profile([0, 9].map { RouteFixtures.point(at: $0) }, 5).isEmpty)
        let leap = [0, 1].map { RoutePoint(time: Timestamp(microseconds: $0), latitude: Double($0), longitude: 0) }
        #expect(profile(leap, 50).allSatisfy { $0.speed.isFinite && $0.speed > 0 })
    }
}
