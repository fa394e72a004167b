/// A route cut in stretches of equal length: speed and elevation over distance, for drawing.
public struct RouteProfile: Hashable, Sendable {
    public struct Stretch: Hashable, Sendable {
        /// Metres from the route's start.
        public var start: Double
        public var end: Double
        /// Metres per second, pauses included.
        public var speed: Double
        /// Metres in the middle of the stretch, interpolated over distance between points whose altitude is known; nil
        /// when no point's is.
        public var altitude: Double?
    }

    public let stretches: [Stretch]

    /// - Parameters:
    ///   - points: accepted points in the order of time.
    ///   - count: the number of stretches, at least 1. A route without any length has none.
    public init(_ points: [RoutePoint], _ distances: RouteDistances, count: Int) {
        let total = distances.total
        guard total > 0 else {
            stretches = []
            return
        }
        let known = points.indices.filter { points[$0].isAltitudeKnown }
        var next = 0
        var stretches: [Stretch] = []
        stretches.reserveCapacity(count)
        for number in 0..<count {
            let start = total * Double(number) / Double(count)
            let end = number + 1 == count ? total : total * Double(number + 1) / Double(count)
            let middle = (start + end) / 2
            while next < known.count, distances.metres[known[next]] < middle { next += 1 }
            stretches.append(
                Stretch(
                    start: start, end: end, speed: Self.speed(distances, start, end),
                    altitude: Self.altitude(points, distances, known, next, middle)))
        }
        self.stretches = stretches
    }

    private static func speed(_ distances: RouteDistances, _ start: Double, _ end: Double) -> Double {
        guard let from = distances.time(reaching: start), let to = distances.time(reaching: end) else { return 0 }
        // A jump between places counts as a microsecond, so that no speed is infinite.
        return (end - start) / (Double(max(1, to.microseconds(since: from))) / 1e6)
    }

    /// - Parameter next: the first of `known` that is not before `metres`.
    private static func altitude(
        _ points: [RoutePoint], _ distances: RouteDistances, _ known: [Int], _ next: Int, _ metres: Double
    ) -> Double? {
        guard next > 0 else { return known.first.map { points[$0].altitude } }
        let before = known[next - 1]
        guard next < known.count else { return points[before].altitude }
        let after = known[next]
        let fraction = (metres - distances.metres[before]) / (distances.metres[after] - distances.metres[before])
        return points[before].altitude + (points[after].altitude - points[before].altitude) * fraction
    }
}
