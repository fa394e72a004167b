/// The aggregates of a route (rule R5). They are a function of its set of accepted points, folded in the order of their
/// times, so they have the same bits in whatever order the points arrived.
public struct RouteAggregates: Hashable, Sendable {
    public var counts: RouteCounts
    /// Times of the first and last accepted point; nil without any.
    public var start: Timestamp?
    public var end: Timestamp?
    /// From start to end.
    public var durationMicroseconds: Int64 = 0
    /// Time in segments (pairs of neighbouring points) of at least 0.5 m/s.
    public var movingMicroseconds: Int64 = 0
    /// Metres: the sum of the segments' geodesics on WGS 84.
    public var distance: Double = 0
    /// Metres up and down between turning points at least 3 m apart (see `ElevationAccumulator`).
    public var elevationGain: Double = 0
    public var elevationLoss: Double = 0
    /// The lowest and the highest altitude in metres, of the points whose altitude is known; nil when none is.
    public var altitude: ClosedRange<Double>?
    /// Metres per second over the whole duration; 0 when that is 0.
    public var averageSpeed: Double = 0
    /// Metres per second over the moving time alone: distance of the moving segments by their time; 0 without any.
    public var movingAverageSpeed: Double = 0
    /// Metres per second of the fastest segment. Times within a route differ by a microsecond at least, so it is
    /// finite.
    public var maximumSpeed: Double = 0
    public var bounds: RouteBounds?
    public var splits: [RouteSplit] = []
    /// The longest time between neighbouring points.
    public var largestGapMicroseconds: Int64 = 0
    /// How many pairs of neighbouring points are more than (not exactly) 3 s apart.
    public var gapsOver3Seconds: Int = 0

    public init(counts: RouteCounts = RouteCounts()) { self.counts = counts }
}

/// One kilometre of a route, or what is left after the last full one.
public struct RouteSplit: Hashable, Sendable {
    /// How many full kilometres are listed. It bounds the row; after so many, one last split covers all the rest.
    public static let maximumKilometres = 2_000
    /// The length of a full split.
    public static let metres = 1_000.0

    /// Metres: `RouteSplit.metres`, except in the last split.
    public var distance: Double
    /// From where the split before ended (interpolated linearly in its segment, rounded to whole microseconds) to where
    /// this one does, pauses included. The splits' durations add up to the route's.
    public var durationMicroseconds: Int64

    public init(distance: Double, durationMicroseconds: Int64) {
        self.distance = distance
        self.durationMicroseconds = durationMicroseconds
    }
}

/// The box around a route's points, in degrees. As in RFC 7946 §5.2, `west > east` means that it crosses the
/// antimeridian: the route goes from one point to the next by the shorter way around. Around a pole and more than once
/// around the globe it spans all longitudes.
public struct RouteBounds: Hashable, Sendable {
    public var south: Double
    public var west: Double
    public var north: Double
    public var east: Double

    public init(south: Double, west: Double, north: Double, east: Double) {
        self.south = south
        self.west = west
        self.north = north
        self.east = east
    }
}
