/// `route.started`: an app on a device begins to record (rule R1; HealthKit *Creating a workout route*).
public struct RouteStarted: Hashable, Sendable {
    public var routeID: String
    public var activity: String
    /// Seconds east of UTC where the route starts; decides its calendar day (rule R7).
    public var utcOffsetSeconds: Int32
    public init(routeID: String, activity: String, utcOffsetSeconds: Int32) {
        self.routeID = routeID
        self.activity = activity
        self.utcOffsetSeconds = utcOffsetSeconds
    }
}

/// `route.locationsInserted`: points in any order (rules R2, R3).
public struct RouteLocationsInserted: Hashable, Sendable {
    public var routeID: String
    public var points: [RoutePoint]
    public init(routeID: String, points: [RoutePoint]) {
        self.routeID = routeID
        self.points = points
    }
}

/// One location as Core Location gives it. A negative accuracy means that the value beside it is unknown.
public struct RoutePoint: Hashable, Sendable {
    public var time: Timestamp
    /// Degrees, WGS 84.
    public var latitude: Double
    public var longitude: Double
    /// Metres.
    public var altitude: Double
    public var horizontalAccuracy: Double
    public var verticalAccuracy: Double
    /// Metres per second; negative when unknown.
    public var speed: Double
    /// Degrees clockwise from north; negative when unknown.
    public var course: Double

    public init(
        time: Timestamp, latitude: Double, longitude: Double, altitude: Double = 0, horizontalAccuracy: Double = 0,
        verticalAccuracy: Double = -1, speed: Double = -1, course: Double = -1
    ) {
        self.time = time
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.speed = speed
        self.course = course
    }
}

/// `workout.saved`: the workout that a route can be attached to.
public struct WorkoutSaved: Hashable, Sendable {
    public var workoutID: String
    public var activity: String
    public var start: Timestamp
    public var end: Timestamp
    public init(workoutID: String, activity: String, start: Timestamp, end: Timestamp) {
        self.workoutID = workoutID
        self.activity = activity
        self.start = start
        self.end = end
    }
}

/// `route.finished`: seals the route and attaches it to its workout for good (rule R4).
public struct RouteFinished: Hashable, Sendable {
    public var routeID: String
    public var workoutID: String
    public var metadata: [String: String]
    public init(routeID: String, workoutID: String, metadata: [String: String] = [:]) {
        self.routeID = routeID
        self.workoutID = workoutID
        self.metadata = metadata
    }
}

/// `route.discarded`.
public struct RouteDiscarded: Hashable, Sendable {
    public var routeID: String
    public init(routeID: String) { self.routeID = routeID }
}
