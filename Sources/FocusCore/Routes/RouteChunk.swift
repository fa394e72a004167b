/// A stretch of a route's accepted points, sorted by time: what one row of `route_points` holds. An insert rewrites the
/// chunks that it touches, so a chunk is small.
///
/// It keeps the sums of its points, apart from the rest of the route: when points arrive elsewhere, nothing here is
/// folded again.
struct RouteChunk: Sendable {
    static let capacity = 256

    /// Numbers chunks in the order in which they were made, which is not that of their times.
    let id: Int
    private(set) var points: [RoutePoint] = []
    private(set) var run = RouteRun()
    /// How far along the chunk each point is, from the first one.
    private(set) var lengths: [RouteLength] = []
    /// Metres from the point before, for each point; 0 for the first one. Points that stay neighbours when others come
    /// between some are not measured again.
    private(set) var segments: [Double] = []
    private var swings = AltitudeSwings()
    /// The elevation of these points, after what comes before them.
    private(set) var elevation = ElevationAccumulator()
    private var elevationBefore = ElevationAccumulator.State()

    init(id: Int) { self.id = id }

    /// - Parameter segments: metres from the point before, for each point that is measured already, else NaN.
    init(id: Int, points: ArraySlice<RoutePoint>, segments: ArraySlice<Double>? = nil) {
        self.id = id
        reserveCapacity(points.count)
        guard let segments else {
            for point in points { append(point) }
            return
        }
        for (point, segment) in zip(points, segments) { append(point, segment: segment) }
    }

    mutating func reserveCapacity(_ count: Int) {
        points.reserveCapacity(count)
        lengths.reserveCapacity(count)
        segments.reserveCapacity(count)
    }

    /// - Parameters:
    ///   - point: later than all here.
    ///   - segment: metres from the last point here; NaN: they are measured now.
    mutating func append(_ point: RoutePoint, segment: Double = .nan) {
        points.append(point)
        segments.append(run.add(point, segment: segment))
        lengths.append(run.length)
        guard point.isAltitudeKnown else { return }
        swings.add(point.altitude)
        elevation.add(point.altitude)
    }

    /// Sets what comes before. Returns the number of points whose altitudes had to be added again: mostly none, because
    /// the state is the same as before, or nothing turns here.
    mutating func follow(_ state: ElevationAccumulator.State) -> Int {
        guard state != elevationBefore else { return 0 }
        elevationBefore = state
        elevation = ElevationAccumulator(after: state)
        if let next = swings.steady(after: state) {
            elevation.add(swings, next)
            return 0
        }
        for point in points where point.isAltitudeKnown { elevation.add(point.altitude) }
        return points.count
    }
}

extension RouteChunk: Equatable {
    /// The other properties follow from these.
    static func == (a: Self, b: Self) -> Bool { a.id == b.id && a.points == b.points }
}
