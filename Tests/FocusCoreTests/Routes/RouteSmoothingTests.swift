import SeededNumbers
import Testing

@testable import FocusCore

/// R8: points as they are drawn, smoothed.
@Suite struct RouteSmoothingTests {
    private let smoothing = RouteSmoothing(seconds: 10)

    private func smoothed(_ points: [RoutePoint]) throws -> [RoutePoint] { try #require(smoothing).smoothed(points) }

    private func metres(_ a: RoutePoint, _ b: RoutePoint) -> Double {
        Geodesic.distance(
            from: GeodesicPosition(latitude: a.latitude, longitude: a.longitude),
            to: GeodesicPosition(latitude: b.latitude, longitude: b.longitude))
    }

    /// A point each second along a meridian, 2 m apart, climbing.
    private func line(_ count: Int) -> [RoutePoint] {
        (0..<count).map { index in
            var point = RouteFixtures.point(at: Double(index), north: Double(2 * index))
            (point.altitude, point.verticalAccuracy, point.horizontalAccuracy) = (100 + Double(index), 3, 5)
            return point
        }
    }

    @Test("R8: what is evenly spaced on a line stays, and so do the ends of everything")
    func line() throws {
        let points = line(40)
        for (before, after) in zip(points, try smoothed(points)) {
            #expect(metres(before, after) < 1e-6 && abs(before.altitude - after.altitude) < 1e-9)
        }
        var bent = points
        bent[0].longitude += 0.001
        bent[39].longitude -= 0.001
        let ends = try smoothed(bent)
        #expect(ends.first == bent.first && ends.last == bent.last)
    }

    @Test("R8: a point that is off the line is drawn to it, the more the less accurate it is")
    func outlier() throws {
        let points = line(41)
        let away = try [5.0, 20, 50].map { accuracy in
            var jumped = points
            jumped[20].longitude += 0.000_5
            jumped[20].horizontalAccuracy = accuracy
            return metres(try smoothed(jumped)[20], points[20])
        }
        // 39 m away before.
        #expect(away[0] < 8 && away[1] < 1 && away[2] < 0.2 && away[0] > away[1] && away[1] > away[2])
    }

    @Test("R8: noise gets less, and times, order, speeds and courses stay")
    func noise() throws {
        var random = SplitMix64(seed: 7)
        let exact = line(300)
        let points = exact.map { point in
            var point = point
            point.longitude += Double.random(in: -1e-4...1e-4, using: &random)
            (point.speed, point.course) = (2, 0)
            return point
        }
        let after = try smoothed(points)
        #expect(after.map(\.time) == points.map(\.time) && after.allSatisfy { $0.speed == 2 && $0.course == 0 })
        func error(_ points: [RoutePoint]) -> Double {
            zip(points, exact).dropFirst(10).dropLast(10).map { metres($0, $1) }.reduce(0, +)
        }
        #expect(error(after) < error(points) / 2)
    }

    @Test("R8: the antimeridian is crossed by the shorter way")
    func antimeridian() throws {
        let points = (0..<21).map { index in
            let east = 179.999_9 + Double(index) * 0.000_01
            return RoutePoint(
                time: RouteFixtures.time(Double(index)), latitude: 10, longitude: east > 180 ? east - 360 : east)
        }
        for (before, after) in zip(points, try smoothed(points)) {
            #expect(metres(before, after) < 1e-6 && (-180...180).contains(after.longitude))
        }
    }

    @Test("R8: beside a pole points stay; unknown and endless altitudes move nothing")
    func limits() throws {
        let polar = (0..<9).map { index in
            RoutePoint(
                time: RouteFixtures.time(Double(index)), latitude: 89.5, longitude: Double(index * 40 - 160))
        }
        #expect(try smoothed(polar) == polar)
        var points = line(9)
        (points[4].altitude, points[4].verticalAccuracy) = (9_000, -1)
        let after = try smoothed(points)
        #expect(after[4].altitude == 9_000 && abs(after[3].altitude - 103) < 0.5)
        points[6].altitude = .greatestFiniteMagnitude
        points[2].altitude = -.greatestFiniteMagnitude
        #expect(try smoothed(points).allSatisfy { $0.altitude.isFinite && metres($0, points[0]) < 17 })
    }

    @Test("R8: a window is 1 to 60 s wide to either side, and reaches 256 points")
    func bounds() throws {
        for seconds in [0.999, 60.001, -1, .nan, .infinity] { #expect(RouteSmoothing(seconds: seconds) == nil) }
        #expect(RouteSmoothing(seconds: 1) != nil && RouteSmoothing(seconds: 60) != nil)
        // Points a microsecond apart: the one that is off is in the windows of 256 neighbours to either side.
        var dense = (0..<2_000).map { index in
            RoutePoint(time: Timestamp(microseconds: Int64(index)), latitude: 10, longitude: 10)
        }
        dense[1_000].latitude += 0.001
        let after = try smoothed(dense)
        let moved = after.indices.filter { after[$0].latitude != 10 }
        #expect(moved.first == 1_000 - 256 && moved.last == 1_000 + 256)
    }

    @Test("Nothing is nothing, and one point is itself")
    func few() throws {
        #expect(try smoothed([]).isEmpty)
        #expect(try smoothed(line(1)) == line(1) && smoothed(line(2)) == line(2))
    }
}
