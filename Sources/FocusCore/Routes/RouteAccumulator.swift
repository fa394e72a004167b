/// Folds a route's points in the order of their times into its aggregates (rule R5), in constant time for each. A plain
/// value without buffers, so a track can keep one as a checkpoint at the head of every chunk.
struct RouteAccumulator: Hashable, Sendable {
    /// Metres per second: slower segments are pauses.
    static let movingSpeed = 0.5
    /// Longer (not equal) gaps are counted.
    static let gapMicroseconds: Int64 = 3_000_000

    private(set) var count = 0
    /// How many kilometre marks were passed; they are the first of the track's.
    private(set) var markCount = 0
    private var start: Timestamp?
    private var end = Timestamp(microseconds: 0)
    private var position = GeodesicPosition.origin
    private var distance = 0.0
    private var movingDistance = 0.0
    private var movingMicroseconds: Int64 = 0
    private var maximumSpeed = 0.0
    private var largestGap: Int64 = 0
    private var gaps = 0
    private var elevation = ElevationAccumulator()
    private var box: BoundsAccumulator?

    /// - Parameters:
    ///   - point: an accepted point, later than all before.
    ///   - marks: times at which full kilometres were reached; new ones are appended.
    mutating func add(_ point: RoutePoint, marks: inout [Timestamp]) {
        let here = GeodesicPosition(latitude: point.latitude, longitude: point.longitude)
        if start == nil {
            start = point.time
            box = BoundsAccumulator(latitude: point.latitude, longitude: point.longitude)
        } else {
            addSegment(to: here, at: point.time, marks: &marks)
            box?.add(latitude: point.latitude, longitude: point.longitude)
        }
        if point.isAltitudeKnown { elevation.add(point.altitude) }
        position = here
        end = point.time
        count += 1
    }

    private mutating func addSegment(to here: GeodesicPosition, at time: Timestamp, marks: inout [Timestamp]) {
        let metres = Geodesic.distance(from: position, to: here)
        let gap = time.microseconds(since: end)
        let speed = metres / (Double(gap) / 1e6)
        maximumSpeed = max(maximumSpeed, speed)
        if speed >= Self.movingSpeed {
            movingDistance += metres
            movingMicroseconds = Self.sum(movingMicroseconds, gap)
        }
        largestGap = max(largestGap, gap)
        if gap > Self.gapMicroseconds { gaps += 1 }

        let before = distance
        distance += metres
        while markCount < RouteSplit.maximumKilometres {
            let mark = RouteSplit.metres * Double(markCount + 1)
            guard mark <= distance else { break }
            let fraction = (mark - before) / metres
            // A fraction below 1 keeps the product below 2^63 even for the longest gap.
            let offset = fraction < 1 ? Int64((fraction * Double(gap)).rounded()) : gap
            marks.append(end.adding(microseconds: offset))
            markCount += 1
        }
    }

    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }

    /// What the points so far come to.
    func aggregates(counts: RouteCounts, marks: [Timestamp]) -> RouteAggregates {
        var result = RouteAggregates(counts: counts)
        guard let start else { return result }
        result.start = start
        result.end = end
        result.durationMicroseconds = end.microseconds(since: start)
        result.movingMicroseconds = movingMicroseconds
        result.distance = distance
        result.elevationGain = elevation.gain
        result.elevationLoss = elevation.loss
        result.altitude = elevation.range
        result.averageSpeed = Self.speed(distance, over: result.durationMicroseconds)
        result.movingAverageSpeed = Self.speed(movingDistance, over: movingMicroseconds)
        result.maximumSpeed = maximumSpeed
        result.bounds = box?.bounds
        result.splits = splits(from: start, marks: marks)
        result.largestGapMicroseconds = largestGap
        result.gapsOver3Seconds = gaps
        return result
    }

    private static func speed(_ metres: Double, over microseconds: Int64) -> Double {
        microseconds == 0 ? 0 : metres / (Double(microseconds) / 1e6)
    }

    private func splits(from start: Timestamp, marks: [Timestamp]) -> [RouteSplit] {
        var splits: [RouteSplit] = []
        splits.reserveCapacity(markCount + 1)
        var last = start
        for mark in marks.prefix(markCount) {
            splits.append(
                RouteSplit(distance: RouteSplit.metres, durationMicroseconds: mark.microseconds(since: last)))
            last = mark
        }
        let rest = distance - RouteSplit.metres * Double(markCount)
        if rest > 0 || end > last {
            splits.append(RouteSplit(distance: rest, durationMicroseconds: end.microseconds(since: last)))
        }
        return splits
    }
}
