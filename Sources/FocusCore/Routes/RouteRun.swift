/// The aggregates of a run of a route's points that follow one another in time (rule R5), except elevation and splits.
/// A point is added in constant time, and so is another run. Sums are of whole numbers, so a route has the same bits
/// however it is cut in runs.
struct RouteRun: Hashable, Sendable {
    /// Metres per second: slower segments are pauses.
    static let movingSpeed = 0.5
    /// Longer (not equal) gaps are counted.
    static let gapMicroseconds: Int64 = 3_000_000

    private(set) var count = 0
    /// The times of the first and the last point; they mean nothing while there is none.
    private var start = Timestamp(microseconds: 0)
    private(set) var end = Timestamp(microseconds: 0)
    private var first = GeodesicPosition.origin
    private var last = GeodesicPosition.origin
    private var box: BoundsAccumulator?
    private(set) var length = RouteLength.zero
    private var movingLength = RouteLength.zero
    private var movingMicroseconds: Int64 = 0
    private var maximumSpeed = 0.0
    private var largestGap: Int64 = 0
    private var gaps = 0

    /// - Parameters:
    ///   - point: an accepted point, later than all before.
    ///   - known: metres from the point before, as they were measured earlier; NaN: they are measured now.
    /// - Returns: these metres; 0 for the first point.
    @discardableResult mutating func add(_ point: RoutePoint, segment known: Double = .nan) -> Double {
        var metres = 0.0
        let here = GeodesicPosition(latitude: point.latitude, longitude: point.longitude)
        if count == 0 {
            (start, first) = (point.time, here)
            box = BoundsAccumulator(latitude: point.latitude, longitude: point.longitude)
        } else {
            metres = known.isNaN ? Geodesic.distance(from: last, to: here) : known
            addSegment(metres, until: point.time)
            box?.add(latitude: point.latitude, longitude: point.longitude)
        }
        (end, last) = (point.time, here)
        count += 1
        return metres
    }

    /// Adds a run that is later, and the segment between the two.
    mutating func join(_ next: RouteRun) {
        guard next.count > 0 else { return }
        guard count > 0 else {
            self = next
            return
        }
        addSegment(Geodesic.distance(from: last, to: next.first), until: next.start)
        length += next.length
        movingLength += next.movingLength
        movingMicroseconds = Self.sum(movingMicroseconds, next.movingMicroseconds)
        maximumSpeed = max(maximumSpeed, next.maximumSpeed)
        largestGap = max(largestGap, next.largestGap)
        gaps += next.gaps
        if let other = next.box { box?.join(other) }
        (end, last) = (next.end, next.last)
        count += next.count
    }

    private mutating func addSegment(_ metres: Double, until time: Timestamp) {
        let gap = time.microseconds(since: end)
        let speed = metres / (Double(gap) / 1e6)
        let way = RouteLength(metres: metres)
        length += way
        maximumSpeed = max(maximumSpeed, speed)
        if speed >= Self.movingSpeed {
            movingLength += way
            movingMicroseconds = Self.sum(movingMicroseconds, gap)
        }
        largestGap = max(largestGap, gap)
        if gap > Self.gapMicroseconds { gaps += 1 }
    }

    private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }

    /// Writes everything but elevation and splits. Changes nothing while there is no point.
    func write(to aggregates: inout RouteAggregates) {
        guard count > 0 else { return }
        aggregates.start = start
        aggregates.end = end
        aggregates.durationMicroseconds = end.microseconds(since: start)
        aggregates.movingMicroseconds = movingMicroseconds
        aggregates.distance = length.metres
        aggregates.averageSpeed = Self.speed(length, over: aggregates.durationMicroseconds)
        aggregates.movingAverageSpeed = Self.speed(movingLength, over: movingMicroseconds)
        aggregates.maximumSpeed = maximumSpeed
        aggregates.bounds = box?.bounds
        aggregates.largestGapMicroseconds = largestGap
        aggregates.gapsOver3Seconds = gaps
    }

    private static func speed(_ length: RouteLength, over microseconds: Int64) -> Double {
        microseconds == 0 ? 0 : length.metres / (Double(microseconds) / 1e6)
    }
}
