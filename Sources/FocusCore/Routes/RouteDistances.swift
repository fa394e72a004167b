/// How far along a route each of its points is; rules R6 and R7 are answered from this.
///
/// Between neighbouring points the way passes linearly in time. Making it takes one pass over the points, and 16 bytes
/// for each.
public struct RouteDistances: Sendable {
    /// Ascending.
    let times: [Timestamp]
    /// Metres from the first point on WGS 84; never descending, first 0.
    let metres: [Double]

    /// - Parameter points: accepted points in the order of time (`RouteTrack.points`).
    public init(_ points: [RoutePoint]) {
        var metres: [Double] = []
        metres.reserveCapacity(points.count)
        // The lengths are added up as in `RouteRun`, so that both have the same sum.
        var sum = RouteLength.zero
        var last: GeodesicPosition?
        for point in points {
            let here = GeodesicPosition(latitude: point.latitude, longitude: point.longitude)
            if let last { sum += RouteLength(metres: Geodesic.distance(from: last, to: here)) }
            metres.append(sum.metres)
            last = here
        }
        self.metres = metres
        times = points.map(\.time)
    }

    fileprivate init(times: [Timestamp], metres: [Double]) { (self.times, self.metres) = (times, metres) }

    /// Metres; 0 without points.
    public var total: Double { metres.last ?? 0 }

    /// Metres from the start at `time`; nil before the first and after the last point.
    public func distance(at time: Timestamp) -> Double? {
        guard let first = times.first, let last = times.last, first <= time, time <= last else { return nil }
        let next = index { times[$0] > time }
        guard next < times.count, times[next - 1] < time else { return metres[next - 1] }
        let gap = times[next].microseconds(since: times[next - 1])
        let fraction = Double(time.microseconds(since: times[next - 1])) / Double(gap)
        return metres[next - 1] + (metres[next] - metres[next - 1]) * fraction
    }

    /// Rule R6: metres per second from `start` to `end`, pauses included: the way between the two, interpolated
    /// linearly in time between neighbouring points, by the time between them. Nil when any of the interval is outside
    /// the route, and when it has no length: a moment has no speed.
    public func speed(from start: Timestamp, to end: Timestamp) -> Double? {
        guard start < end, let before = distance(at: start), let after = distance(at: end) else { return nil }
        return (after - before) / (Double(end.microseconds(since: start)) / 1e6)
    }

    /// The first moment at which `distance` metres are reached, to the nearest microsecond; nil beyond the route.
    public func time(reaching distance: Double) -> Timestamp? {
        guard let first = times.first, distance <= total else { return nil }
        let reached = index { metres[$0] >= distance }
        return reached == 0 ? first : time(at: distance, before: reached)
    }

    /// When `distance` is reached between point `index - 1`, which is before it, and point `index`, which is not.
    func time(at distance: Double, before index: Int) -> Timestamp {
        let fraction = (distance - metres[index - 1]) / (metres[index] - metres[index - 1])
        return time(fraction, before: index)
    }

    /// - Parameter fraction: of the segment that ends at point `index`, 0 … 1.
    func time(_ fraction: Double, before index: Int) -> Timestamp {
        // A fraction below 1 keeps the product below 2^63 even for the longest gap.
        guard fraction < 1 else { return times[index] }
        let gap = Double(times[index].microseconds(since: times[index - 1]))
        return times[index - 1].adding(microseconds: Int64((fraction * gap).rounded()))
    }

    /// The first index from which on `isPast` is true; the number of points when it never is.
    func index(_ isPast: (Int) -> Bool) -> Int {
        var low = 0
        var high = times.count
        while low < high {
            let middle = (low + high) / 2
            if isPast(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension RouteTrack {
    /// The distances for rules R6 and R7, from the lengths that the chunks keep: no segment is measured again.
    public var distances: RouteDistances {
        // Where the sum has saturated, it does not say how far along a chunk is.
        guard sum.run.length < .greatest else { return RouteDistances(points) }
        var times: [Timestamp] = []
        var metres: [Double] = []
        times.reserveCapacity(counts.accepted)
        metres.reserveCapacity(counts.accepted)
        for (index, chunk) in chunks.enumerated() {
            let head = head(index)
            times.append(contentsOf: chunk.points.lazy.map(\.time))
            metres.append(contentsOf: chunk.lengths.lazy.map { (head + $0).metres })
        }
        return RouteDistances(times: times, metres: metres)
    }
}
