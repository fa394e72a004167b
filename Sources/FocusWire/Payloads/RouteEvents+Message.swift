import FocusCore

extension Focus_Events_V1_RouteStarted: PayloadMessage {
    init(_ event: RouteStarted) {
        self.init()
        routeID = event.routeID
        activity = event.activity
        utcOffsetSeconds = event.utcOffsetSeconds
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .routeStarted(RouteStarted(routeID: routeID, activity: activity, utcOffsetSeconds: utcOffsetSeconds))
    }
}

extension Focus_Events_V1_RouteLocationsInserted: PayloadMessage {
    init(_ event: RouteLocationsInserted) {
        self.init()
        routeID = event.routeID
        points = event.points.map { Focus_Events_V1_RoutePoint($0) }
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .routeLocationsInserted(RouteLocationsInserted(routeID: routeID, points: points.map(\.point)))
    }
}

extension Focus_Events_V1_RoutePoint {
    /// What an absent vertical accuracy, speed or course means: unknown, as Core Location has it.
    private static let unknown: Double = -1

    init(_ point: RoutePoint) {
        self.init()
        timeUs = point.time.microseconds
        latitude = point.latitude
        longitude = point.longitude
        altitude = point.altitude
        horizontalAccuracy = point.horizontalAccuracy
        if point.verticalAccuracy != Self.unknown { verticalAccuracy = point.verticalAccuracy }
        if point.speed != Self.unknown { speed = point.speed }
        if point.course != Self.unknown { course = point.course }
    }

    var point: RoutePoint {
        RoutePoint(
            time: Timestamp(microseconds: timeUs), latitude: latitude, longitude: longitude, altitude: altitude,
            horizontalAccuracy: horizontalAccuracy,
            verticalAccuracy: hasVerticalAccuracy ? verticalAccuracy : Self.unknown,
            speed: hasSpeed ? speed : Self.unknown, course: hasCourse ? course : Self.unknown)
    }
}

extension Focus_Events_V1_WorkoutSaved: PayloadMessage {
    init(_ event: WorkoutSaved) {
        self.init()
        workoutID = event.workoutID
        activity = event.activity
        startUs = event.start.microseconds
        endUs = event.end.microseconds
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .workoutSaved(
            WorkoutSaved(
                workoutID: workoutID, activity: activity, start: Timestamp(microseconds: startUs),
                end: Timestamp(microseconds: endUs)))
    }
}

extension Focus_Events_V1_RouteFinished: PayloadMessage {
    init(_ event: RouteFinished) {
        self.init()
        routeID = event.routeID
        workoutID = event.workoutID
        metadata = event.metadata
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .routeFinished(RouteFinished(routeID: routeID, workoutID: workoutID, metadata: metadata))
    }
}

extension Focus_Events_V1_RouteDiscarded: PayloadMessage {
    init(_ event: RouteDiscarded) {
        self.init()
        routeID = event.routeID
    }

    func eventBody() throws(PayloadError) -> EventBody { .routeDiscarded(RouteDiscarded(routeID: routeID)) }
}
