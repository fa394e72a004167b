/// Measures the way between two moments of a route, from points that come in the order of time (rule R6). It keeps none
/// of them.
struct RouteSpan {
    private let start: Timestamp
    private let end: Timestamp
    private var last: (time: Timestamp, place: GeodesicPosition)?
    private var length = RouteLength.zero
    /// Metres along the points given, at `start` and at `end`; nil while the points do not reach that moment.
    private var metresAtStart: Double?
    private var metresAtEnd: Double?

    init(from start: Timestamp, to end: Timestamp) { (self.start, self.end) = (start, end) }

    /// Metres per second, pauses included; nil when any of the interval is outside the route, or it has no length.
    var speed: Double? {
        guard start < end, let metresAtStart, let metresAtEnd else { return nil }
        return (metresAtEnd - metresAtStart) / (Double(end.microseconds(since: start)) / 1e6)
    }

    /// Adds the next points. Returns false when the rest does not matter.
    mutating func append(_ points: [RoutePoint]) -> Bool {
        for point in points {
            add(point)
            if point.time >= end { return false }
        }
        return true
    }

    private mutating func add(_ point: RoutePoint) {
        let place = GeodesicPosition(latitude: point.latitude, longitude: point.longitude)
        defer { last = (point.time, place) }
        guard let last else {
            if point.time == start { metresAtStart = 0 }
            if point.time == end { metresAtEnd = 0 }
            return
        }
        let before = length.metres
        length += RouteLength(metres: Geodesic.distance(from: last.place, to: place))
        let gap = Double(point.time.microseconds(since: last.time))
        func metres(at time: Timestamp) -> Double? {
            guard last.time <= time, time <= point.time else { return nil }
            if time == point.time { return length.metres }
            return before + (length.metres - before) * (Double(time.microseconds(since: last.time)) / gap)
        }
        if metresAtStart == nil { metresAtStart = metres(at: start) }
        if metresAtEnd == nil { metresAtEnd = metres(at: end) }
    }
}
