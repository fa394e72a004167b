import SeededNumbers
import Testing

@testable import FocusCore

@Suite struct RouteAggregatesTests {
    @Test("R5: distance is the sum of the geodesics in the order of time", arguments: [1, 2])
    func distance(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let points = RouteFixtures.walk(900, using: &random)
        let places = points.map { GeodesicPosition(latitude: $0.latitude, longitude: $0.longitude) }
        let sum = zip(places, places.dropFirst()).reduce(0) { $0 + Geodesic.longDistance(from: $1.0, to: $1.1) }
        let aggregates = RouteFixtures.aggregates(points.reversed())
        #expect(abs(aggregates.distance - sum) < 1e-6 * sum, "seed \(seed)")
        #expect(aggregates.start == points.first?.time && aggregates.end == points.last?.time)
    }

    @Test("R5: segments slower than 0.5 m/s are pauses")
    func movingTime() {
        let points = [(0.0, 0.0), (10, 20), (20, 24.9), (30, 30.1)].map { RouteFixtures.point(at: $0.0, north: $0.1) }
        let aggregates = RouteFixtures.aggregates(points)
        #expect(aggregates.durationMicroseconds == 30_000_000 && aggregates.movingMicroseconds == 20_000_000)
        #expect(abs(aggregates.averageSpeed - 30.1 / 30) < 0.001)
        #expect(abs(aggregates.movingAverageSpeed - 25.2 / 20) < 0.001)
        #expect(abs(aggregates.maximumSpeed - 2) < 0.001)
    }

    @Test("R5: one point has no duration, no speed and no split")
    func onePoint() {
        let aggregates = RouteFixtures.aggregates([RouteFixtures.point(at: 5, altitude: 9)])
        #expect(
            aggregates.start == aggregates.end && aggregates.averageSpeed == 0 && aggregates.movingAverageSpeed == 0)
        #expect(aggregates.splits.isEmpty && aggregates.altitude == 9...9 && aggregates.counts.accepted == 1)
        #expect(aggregates.bounds == RouteBounds(south: 46, west: 14, north: 46, east: 14))
    }

    @Test("R5: a gap of exactly 3 s is not counted, a microsecond more is")
    func gaps() {
        let points = [0, 3, 6.000001, 7, 17].map { RouteFixtures.point(at: $0, north: $0) }
        let aggregates = RouteFixtures.aggregates(points)
        #expect(aggregates.gapsOver3Seconds == 2 && aggregates.largestGapMicroseconds == 10_000_000)
    }

    @Test("R5: kilometre splits are interpolated within their segment and add up")
    func splits() {
        // The fixture's 111,145 m a degree is only approximate at 46° N, so the test takes the computed distance.
        let points = [0.0, 100, 200, 260].map { RouteFixtures.point(at: $0, north: $0 * 15) }
        let aggregates = RouteFixtures.aggregates(points)
        let total = aggregates.distance
        #expect(aggregates.splits.count == 4)
        let perKilometre = 260_000_000 * 1_000 / total
        for split in aggregates.splits.prefix(3) {
            #expect(split.distance == 1_000 && abs(Double(split.durationMicroseconds) - perKilometre) < 2_000)
        }
        #expect(aggregates.splits.reduce(0) { $0 + $1.durationMicroseconds } == aggregates.durationMicroseconds)
        #expect(abs(aggregates.splits.reduce(0) { $0 + $1.distance } - total) < 1e-9)
    }

    @Test("R5: a pause belongs to the split that it is in")
    func splitWithPause() {
        let points = [(0.0, 0.0), (100, 600), (400, 600), (500, 1_200)].map {
            RouteFixtures.point(at: $0.0, north: $0.1)
        }
        let splits = RouteFixtures.aggregates(points).splits
        #expect(splits.count == 2 && abs(Double(splits[0].durationMicroseconds) / 1e6 - 466.7) < 0.5)
    }

    @Test("R5: one leap over many kilometres has all their splits, up to the bound")
    func leap() {
        let near = [RouteFixtures.point(at: 0), RouteFixtures.point(at: 100, north: 50_500)]
        #expect(RouteFixtures.aggregates(near).splits.count == 51)
        let far = [
            RoutePoint(time: RouteFixtures.time(0), latitude: 0, longitude: 0),
            RoutePoint(time: RouteFixtures.time(1), latitude: 0, longitude: 170),
        ]
        let aggregates = RouteFixtures.aggregates(far)
        #expect(aggregates.splits.count == RouteSplit.maximumKilometres + 1)
        #expect(aggregates.splits.reduce(0) { $0 + $1.durationMicroseconds } == 1_000_000)
    }
}

@Suite struct BoundsAccumulatorTests {
    private func bounds(_ places: [(Double, Double)]) -> RouteBounds? {
        RouteFixtures.aggregates(
            places.enumerated().map { index, place in
                RoutePoint(time: RouteFixtures.time(Double(index)), latitude: place.0, longitude: place.1)
            }
        ).bounds
    }

    @Test("R5: the box holds all points, edges exactly as they came in")
    func plain() {
        let box = bounds([(45.1, 14.3), (45.7, 14.1), (45.4, 14.9)])
        #expect(box == RouteBounds(south: 45.1, west: 14.1, north: 45.7, east: 14.9))
    }

    @Test("R5: a route across the antimeridian has a narrow box with west > east, in both directions")
    func antimeridian() {
        let expected = RouteBounds(south: -17, west: 179.5, north: -16, east: -179.2)
        #expect(bounds([(-17, 179.5), (-16.5, 179.99), (-16, -179.2)]) == expected)
        #expect(bounds([(-16, -179.2), (-16.5, 179.99), (-17, 179.5)]) == expected)
        #expect(bounds([(-17, 179.5), (-16.5, -179.9), (-16, 179.8)])?.east == -179.9)
    }

    @Test("R5: around the globe or over a pole the box spans all longitudes")
    func around() {
        #expect(bounds((0...4).map { (10, Double(($0 * 100 + 180) % 360 - 180)) })?.west == -180)
        let polar = bounds([(89, 10), (90, 0), (89, -170)])
        #expect(polar == RouteBounds(south: 89, west: -180, north: 90, east: 180))
    }
}
