import FocusCore
import Testing

@Suite struct RouteFilterTests {
    static let good = RoutePoint(
        time: Timestamp(microseconds: 1), latitude: 46, longitude: 14, altitude: 500, horizontalAccuracy: 5,
        verticalAccuracy: 3, speed: 1, course: 90)

    @Test("R2: accuracy 50.0 is kept, 50.01 and −1 are dropped")
    func accuracy() {
        let verdicts = [0, 5, 50, 50.01, -1, -0.001].map { accuracy -> RouteDropReason? in
            var point = Self.good
            point.horizontalAccuracy = accuracy
            return RouteFilter.reasonToDrop(point)
        }
        #expect(verdicts == [nil, nil, nil, .inaccurate, .inaccurate, .inaccurate])
    }

    @Test(
        "R2: coordinates at the edge of the globe are kept, beyond it dropped",
        arguments: [
            (90.0, 180.0, nil), (-90, -180, nil), (90.000001, 0, RouteDropReason.impossible), (-91, 0, .impossible),
            (0, 180.000001, .impossible), (0, -200, .impossible),
        ])
    func coordinates(latitude: Double, longitude: Double, reason: RouteDropReason?) {
        var point = Self.good
        (point.latitude, point.longitude) = (latitude, longitude)
        #expect(RouteFilter.reasonToDrop(point) == reason)
    }

    @Test("R2: an absurd altitude is impossible when it is known, and of no interest otherwise")
    func altitude() {
        var point = Self.good
        point.altitude = 1e300
        #expect(RouteFilter.reasonToDrop(point) == .impossible)
        point.verticalAccuracy = -1
        #expect(RouteFilter.reasonToDrop(point) == nil)
    }

    @Test(
        "R2: a number that is not finite drops the point, whichever field it is in",
        arguments: [
            Double.nan, .infinity, -.infinity, .signalingNaN,
        ])
    func notFinite(value: Double) {
        let fields: [WritableKeyPath<RoutePoint, Double>] = [
            \.latitude, \.longitude, \.altitude, \.horizontalAccuracy, \.verticalAccuracy, \.speed, \.course,
        ]
        for field in fields {
            var point = Self.good
            point[keyPath: field] = value
            #expect(RouteFilter.reasonToDrop(point) == .notFinite)
        }
    }
}
