import SeededNumbers
import Testing

@testable import FocusCore

@Suite struct RouteDistancesTests {
    /// Two segments of about 10 m in 10 s, a pause of 30 s, and a segment of about 60 m in 20 s.
    private static let points = [(0.0, 0.0), (10, 10), (20, 20), (50, 20), (70, 80)].map {
        RouteFixtures.point(at: $0.0, north: $0.1)
    }
    private let distances = RouteDistances(points)

    private func speed(_ start: Double, _ end: Double) -> Double? {
        distances.speed(from: RouteFixtures.time(start), to: RouteFixtures.time(end))
    }

    private func metres(_ index: Int) -> Double { distances.metres[index] }

    @Test("R6: between two points' exact times it is the way between them by the time")
    func exactTimes() throws {
        for (start, end) in [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (1, 3)] {
            let seconds = Double(Self.points[end].time.microseconds - Self.points[start].time.microseconds) / 1e6
            let found = distances.speed(from: Self.points[start].time, to: Self.points[end].time)
            #expect(found == (metres(end) - metres(start)) / seconds)
        }
        #expect(speed(20, 50) == 0)
        let whole = try #require(speed(0, 70))
        #expect(abs(whole - RouteFixtures.aggregates(Self.points).averageSpeed) < 1e-12)
    }

    @Test("R6: between points it is interpolated linearly in time")
    func interpolated() throws {
        #expect(try abs(#require(speed(2, 5)) - metres(1) / 10) < 1e-9)
        #expect(try abs(#require(speed(5, 15)) - (metres(2) / 2) / 10) < 1e-3)
        // Half of the pause and a quarter of the last segment.
        #expect(try abs(#require(speed(35, 55)) - (metres(4) - metres(3)) / 4 / 20) < 1e-9)
        #expect(try abs(#require(speed(69.999999, 70)) - (metres(4) - metres(3)) / 20) < 1e-4)
    }

    @Test("R6: outside the route, before, after or across its ends, there is none")
    func outside() {
        #expect(speed(-10, -5) == nil && speed(-0.000001, 10) == nil && speed(0, 70) != nil)
        #expect(speed(60, 70.000001) == nil && speed(80, 90) == nil && speed(-1, 71) == nil)
        #expect(RouteDistances([]).speed(from: .at(0), to: .at(1)) == nil)
    }

    @Test("R6: a moment, and an interval that ends before it starts, have no speed; nor has a route of one point")
    func emptyIntervals() {
        #expect(speed(10, 10) == nil && speed(20, 10) == nil && speed(0, 0) == nil)
        let one = RouteDistances([Self.points[0]])
        #expect(one.distance(at: Self.points[0].time) == 0 && one.distance(at: RouteFixtures.time(1)) == nil)
        #expect(one.speed(from: Self.points[0].time, to: Self.points[0].time) == nil && one.fastestStretches.isEmpty)
    }

    @Test("R6: intervals that follow one another add up to the whole", arguments: 1...6 as ClosedRange<UInt64>)
    func additive(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let points = RouteFixtures.walk(500, using: &random)
        let distances = RouteDistances(points.shuffled(using: &random).sorted { $0.time < $1.time })
        let (start, end) = (points[0].time, points[499].time)
        var cuts = (0..<40).map { _ in
            Timestamp(microseconds: Int64.random(in: start.microseconds...end.microseconds, using: &random))
        }
        cuts = ([start, end] + cuts + points.prefix(20).map(\.time)).sorted()
        let way = try zip(cuts, cuts.dropFirst()).reduce(0.0) { sum, cut in
            guard cut.0 < cut.1 else { return sum }
            let seconds = Double(cut.1.microseconds - cut.0.microseconds) / 1e6
            return sum + (try #require(distances.speed(from: cut.0, to: cut.1))) * seconds
        }
        #expect(abs(way - distances.total) < 1e-6, "seed \(seed)")
        var track = RouteTrack()
        track.insert(points)
        #expect(abs(track.distances.total - track.aggregates.distance) < 1e-6, "seed \(seed)")
    }

    @Test("R6: times at both ends of their range do not trap")
    func extremeTimes() {
        let points = [Int64.min, -1, 0, .max].enumerated().map { index, time in
            RoutePoint(time: Timestamp(microseconds: time), latitude: Double(index), longitude: 0)
        }
        let distances = RouteDistances(points)
        for start in points {
            for end in points {
                let found = distances.speed(from: start.time, to: end.time)
                #expect((found != nil) == (start.time < end.time) && found?.isFinite != false)
            }
        }
        #expect(distances.fastest(10_000)?.durationMicroseconds == 1)
    }
}
