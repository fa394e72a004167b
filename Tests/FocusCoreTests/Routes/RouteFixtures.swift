import Foundation
import SeededNumbers

@testable import FocusCore

/// Points for the tests of routes.
enum RouteFixtures {
    /// A point `second` seconds after a fixed start, `metres` metres north of 46° N 14° E.
    static func point(at second: Double, north metres: Double = 0, altitude: Double? = nil) -> RoutePoint {
        RoutePoint(
            time: time(second), latitude: 46 + metres / 111_145, longitude: 14, altitude: altitude ?? 0,
            horizontalAccuracy: 5, verticalAccuracy: altitude == nil ? -1 : 3)
    }

    static func time(_ second: Double) -> Timestamp {
        Timestamp(microseconds: 1_700_000_000_000_000 + Int64((second * 1e6).rounded()))
    }

    static func aggregates(_ points: [RoutePoint]) -> RouteAggregates {
        var track = RouteTrack()
        track.insert(points)
        return track.aggregates
    }

    /// A random walk at about 1 Hz with pauses, turns and noise; every point is acceptable, times ascend.
    static func walk(_ count: Int, using random: inout SplitMix64) -> [RoutePoint] {
        var (time, heading, latitude, longitude, altitude) = (1_700_000_000_000_000 as Int64, 0.3, 46.05, 14.5, 300.0)
        return (0..<count).map { index in
            let pause = index % 400 > 370
            time +=
                Int64.random(in: 1...40, using: &random) == 1
                ? 7_250_000 : Int64.random(in: 900_000...1_100_000, using: &random)
            heading += Double.random(in: -0.3...0.3, using: &random)
            let step = pause ? 0.05 : Double.random(in: 1...3.5, using: &random)
            latitude += step * cos(heading) / 111_000
            longitude += step * sin(heading) / 77_000
            altitude += Double.random(in: -1...1.05, using: &random)
            return RoutePoint(
                time: Timestamp(microseconds: time), latitude: latitude, longitude: longitude, altitude: altitude,
                horizontalAccuracy: [3, 5, 8, 50].randomElement(using: &random)!,
                verticalAccuracy: index % 10 == 3 ? -1 : 4, speed: step, course: 12)
        }
    }

    /// The walk with duplicate, rival and unusable points added.
    static func messyWalk(_ count: Int, using random: inout SplitMix64) -> [RoutePoint] {
        walk(count, using: &random).flatMap { point -> [RoutePoint] in
            var other = point
            switch Int.random(in: 0..<12, using: &random) {
            case 0: return [point, point]
            case 1:
                other.horizontalAccuracy = Double.random(in: 0...50, using: &random)
                return [point, other]
            case 2:
                // With equal accuracies the other fields decide, and −0 equals 0.
                other.course = -0.0
                var third = other
                third.course = 0
                return [point, other, third]
            case 3:
                other.horizontalAccuracy = 51
                return [other, point]
            case 4:
                other.speed = .nan
                return [other, point]
            case 5:
                other.latitude = 91
                return [other, point]
            default: return [point]
            }
        }
    }

    /// `points` in random order, in batches of random size.
    static func batches(_ points: [RoutePoint], using random: inout SplitMix64) -> [[RoutePoint]] {
        var rest = points.shuffled(using: &random)[...]
        var batches: [[RoutePoint]] = []
        while !rest.isEmpty {
            let batch = rest.prefix(Int.random(in: 1...400, using: &random))
            batches.append(Array(batch))
            rest = rest.dropFirst(batch.count)
        }
        return batches
    }
}
