import FocusCore

/// A route's way, cut where it crosses the antimeridian (RFC 7946 §3.1.9). Between two points it goes the shorter way
/// around the earth.
struct GeoJSONLines {
    struct Position: Hashable {
        var time: Timestamp
        var latitude: Double
        var longitude: Double
        /// Nil when unknown.
        var altitude: Double?
    }

    private(set) var lines: [[Position]] = []

    init(_ points: [RoutePoint]) {
        for point in points {
            let here = Position(
                time: point.time, latitude: point.latitude, longitude: point.longitude,
                altitude: point.isAltitudeKnown ? point.altitude : nil)
            guard let last = lines.last?.last else {
                lines.append([here])
                continue
            }
            if abs(here.longitude - last.longitude) > 180 { cut(between: last, and: here) }
            lines[lines.count - 1].append(here)
        }
    }

    /// Ends the line at the antimeridian, and begins one on its other side.
    private mutating func cut(between a: Position, and b: Position) {
        let side: Double = a.longitude > 0 ? 180 : -180
        let (before, after) = (180 - abs(a.longitude), 180 - abs(b.longitude))
        let fraction = before + after > 0 ? before / (before + after) : 0
        func between(_ a: Double, _ b: Double) -> Double { a + (b - a) * fraction }
        let altitude: Double? =
            if let first = a.altitude, let second = b.altitude { between(first, second) } else { nil }
        let microseconds = (Double(b.time.microseconds - a.time.microseconds) * fraction).rounded()
        let edge = Position(
            time: a.time.adding(microseconds: Int64(microseconds)), latitude: between(a.latitude, b.latitude),
            longitude: side, altitude: altitude)
        lines[lines.count - 1].append(edge)
        lines.append([edge])
        lines[lines.count - 1][0].longitude = -side
    }
}
