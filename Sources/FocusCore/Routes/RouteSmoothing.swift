/// Points drawn towards their neighbours, for looking at (rule R8). What a route's figures are computed from are the
/// points as they were recorded.
///
/// Each place and altitude becomes the average of those around it, weighted by how near they are in time and by the
/// square of how accurate they are. The window is as wide on both sides, so it narrows towards the ends: the first and
/// the last point stay, and points that are evenly spaced on a line stay too. Times, speeds and courses stay.
public struct RouteSmoothing: Hashable, Sendable {
    /// The seconds that a window may reach to either side.
    public static let seconds = 1.0...60.0
    /// How many points it reaches to either side at most: it bounds the work for points that are dense in time.
    static let maximumReach = 256
    /// Metres: what claims to be more accurate counts as so accurate, and no point outweighs all others.
    static let leastAccuracy = 1.0
    /// Degrees: nearer to a pole longitudes say too little to be averaged, and points stay.
    static let greatestLatitude = 89.0

    /// How many microseconds the window reaches to either side.
    let reach: Int64

    /// - Parameter seconds: how far the window reaches to either side; nil outside of `RouteSmoothing.seconds`.
    public init?(seconds: Double) {
        guard Self.seconds.contains(seconds) else { return nil }
        reach = Int64(seconds * 1e6)
    }

    /// - Parameter points: accepted points in the order of time.
    public func smoothed(_ points: [RoutePoint]) -> [RoutePoint] {
        guard let first = points.first?.time, let last = points.last?.time else { return [] }
        return points.indices.map { index in
            let time = points[index].time
            let reach = min(reach, time.microseconds(since: first), last.microseconds(since: time))
            return reach > 0 ? smoothed(points, index, reach: reach) : points[index]
        }
    }

    private func smoothed(_ points: [RoutePoint], _ index: Int, reach: Int64) -> RoutePoint {
        var point = points[index]
        var (latitude, longitude, altitude) = (WeightedMean(), WeightedMean(), WeightedMean())
        for other in points[neighbours(of: index, in: points, reach: reach)] {
            let distance = Double(other.time.microseconds(since: point.time)) / Double(reach + 1)
            let nearness = (1 - distance * distance) * (1 - distance * distance)
            let weight = nearness * Self.weight(other.horizontalAccuracy)
            // Differences, so that neither the antimeridian nor what a sum rounds away moves a point.
            latitude.add(other.latitude - point.latitude, weight)
            longitude.add(Self.turn(from: point.longitude, to: other.longitude), weight)
            if other.isAltitudeKnown, point.isAltitudeKnown {
                altitude.add(other.altitude - point.altitude, nearness * Self.weight(other.verticalAccuracy))
            }
        }
        point.altitude += altitude.value
        guard abs(point.latitude) <= Self.greatestLatitude else { return point }
        point.latitude += latitude.value
        point.longitude = Self.turn(from: 0, to: point.longitude + longitude.value)
        return point
    }

    /// As many points before as behind, as far as the window reaches: else one that records more often on one side would
    /// draw the place there.
    private func neighbours(of index: Int, in points: [RoutePoint], reach: Int64) -> ClosedRange<Int> {
        var (first, last) = (index, index)
        while index - first < Self.maximumReach, first > 0, last < points.count - 1,
            points[index].time.microseconds(since: points[first - 1].time) <= reach,
            points[last + 1].time.microseconds(since: points[index].time) <= reach
        {
            (first, last) = (first - 1, last + 1)
        }
        return first...last
    }

    private static func weight(_ accuracy: Double) -> Double {
        let metres = max(leastAccuracy, accuracy)
        return 1 / (metres * metres)
    }

    /// The shorter way from one longitude to another in degrees, from −180 to 180.
    private static func turn(from: Double, to: Double) -> Double {
        let difference = to - from
        return difference > 180 ? difference - 360 : difference < -180 ? difference + 360 : difference
    }
}

private struct WeightedMean {
    private var (sum, weights) = (0.0, 0.0)

    mutating func add(_ value: Double, _ weight: Double) {
        sum += value * weight
        weights += weight
    }

    /// 0 of nothing, and of what is no number: altitudes are any numbers that a device sends.
    var value: Double {
        let mean = sum / weights
        return mean.isFinite ? mean : 0
    }
}
