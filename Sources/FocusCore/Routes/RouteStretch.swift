/// The fastest stretch of a certain length within a route (rule R7).
public struct RouteStretch: Hashable, Sendable {
    /// Metres, ascending.
    public static let lengths: [Int64] = [1_000, 5_000, 10_000]

    /// Metres: one of `lengths`.
    public var metres: Int64
    public var start: Timestamp
    /// Pauses included; at least 1.
    public var durationMicroseconds: Int64

    public init(metres: Int64, start: Timestamp, durationMicroseconds: Int64) {
        self.metres = metres
        self.start = start
        self.durationMicroseconds = durationMicroseconds
    }
}

extension RouteDistances {
    /// The fastest stretch of each of `RouteStretch.lengths` that the route is long enough for.
    public var fastestStretches: [RouteStretch] { RouteStretch.lengths.compactMap(fastest) }

    /// The least time in which `length` metres were passed anywhere in the route, from any moment to any other, and the
    /// first time that it took so long; nil when the route is shorter.
    ///
    /// A stretch that starts at distance s begins the last moment that s was so far and ends the first moment that
    /// s + length is reached. Between two points neither end's speed changes, so its duration is linear in s while
    /// neither end passes a point: the shortest one starts or ends at a point. Two sweeps try all of these, each with
    /// both ends only moving forwards, so the time is proportional to the points.
    func fastest(_ length: Int64) -> RouteStretch? {
        var best: RouteStretch?
        func consider(_ start: Timestamp, _ end: Timestamp) {
            // A jump between places counts as a microsecond, so that no speed is infinite.
            let found = RouteStretch(
                metres: length, start: start, durationMicroseconds: max(1, end.microseconds(since: start)))
            guard let known = best else {
                best = found
                return
            }
            if (found.durationMicroseconds, found.start) < (known.durationMicroseconds, known.start) { best = found }
        }
        var end = 0
        for start in metres.indices {
            let distance = metres[start] + Double(length)
            guard distance <= total else { break }
            while metres[end] < distance { end += 1 }
            consider(times[start], time(at: distance, before: end))
        }
        var start = 0
        for end in metres.indices where metres[end] >= Double(length) {
            let distance = metres[end] - Double(length)
            while metres[start + 1] <= distance { start += 1 }
            consider(time(at: distance, before: start + 1), times[end])
        }
        return best
    }
}
