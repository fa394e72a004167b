/// The row of a route as devices get it (collection `routes`, key: route id). A discarded route is a tombstone.
public struct RouteRow: Hashable, Sendable {
    public var routeID: String
    public var activity: String
    /// Seconds east of UTC where the route starts.
    public var utcOffsetSeconds: Int32
    public var state: RouteState
    /// The only device that may insert points and finish (rule R4).
    public var startedBy: DeviceID
    /// The workout that the route is attached to for good; nil until it is finished.
    public var workoutID: String?
    public var metadata: [String: String]
    public var aggregates: RouteAggregates
    /// The simplified line of a finished route; nil while it is open. An open route's row goes out with every insert,
    /// and a line that grows with the route would make the row grow as well.
    public var polyline: RoutePolyline?
    /// The fastest stretches of a finished route, ascending by length (rule R7); empty while it is open.
    public var fastest: [RouteStretch]

    public init(
        routeID: String, activity: String, utcOffsetSeconds: Int32, state: RouteState = .open, startedBy: DeviceID,
        workoutID: String? = nil, metadata: [String: String] = [:], aggregates: RouteAggregates = RouteAggregates(),
        polyline: RoutePolyline? = nil, fastest: [RouteStretch] = []
    ) {
        self.routeID = routeID
        self.activity = activity
        self.utcOffsetSeconds = utcOffsetSeconds
        self.state = state
        self.startedBy = startedBy
        self.workoutID = workoutID
        self.metadata = metadata
        self.aggregates = aggregates
        self.polyline = polyline
        self.fastest = fastest
    }
}

/// Where a route is in its life (rule R4).
public enum RouteState: Int64, Hashable, Sendable, CaseIterable {
    /// Started; accepts points.
    case open = 1
    /// Sealed and attached to its workout.
    case finished = 2
}
