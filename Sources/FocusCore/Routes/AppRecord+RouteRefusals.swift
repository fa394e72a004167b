extension AppRecord {
    /// Rule R1.
    func startRefusal(_ body: RouteStarted) -> Refusal? {
        for kind in [AuthorizationKind.location, .shareRoutes, .shareWorkouts] where status(kind) != .authorized {
            return Refusal(.notAuthorized, "recording a route needs \(kind.name) authorized")
        }
        for kind in [AuthorizationKind.readRoutes, .readWorkouts] where status(kind) == .notDetermined {
            return Refusal(.notAuthorized, "recording a route needs \(kind.name) asked for")
        }
        if routes[ByteText(body.routeID)] != nil {
            return Refusal(.routeExists, "the app has a route of this id")
        }
        guard routes.count < EventLimits.routesPerApp else {
            return Refusal(.tooMany, "an app has at most \(EventLimits.routesPerApp) routes")
        }
        return nil
    }

    /// Rule R4.
    func insertRefusal(_ body: RouteLocationsInserted, _ device: DeviceID) -> Refusal? {
        guard let row = routes[ByteText(body.routeID)]?.row else { return Self.unknownRoute }
        guard row.startedBy == device else { return Self.otherDevice }
        guard row.state == .open else { return Self.finishedRoute }
        guard row.aggregates.counts.logged + body.points.count <= EventLimits.pointsPerRoute else {
            return Refusal(.tooManyPoints, "a route has at most \(EventLimits.pointsPerRoute) points")
        }
        return nil
    }

    /// Rule R4. A refused finish leaves the route open.
    func finishRefusal(_ body: RouteFinished, _ device: DeviceID) -> Refusal? {
        guard let row = routes[ByteText(body.routeID)]?.row else { return Self.unknownRoute }
        guard row.startedBy == device else { return Self.otherDevice }
        switch row.state {
        case .finished:
            if let workout = row.workoutID, ByteText.equal(workout, body.workoutID) { return nil }
            return Refusal(.routeAlreadyAssociated, "the route is finished with another workout")
        case .open:
            guard row.aggregates.counts.accepted > 0 else {
                return Refusal(.routeEmpty, "the route has no usable point")
            }
            guard workouts[ByteText(body.workoutID)] != nil else {
                return Refusal(.workoutUnknown, "save the workout first, then finish with a new event")
            }
            return nil
        }
    }

    /// Rule R4: an app may discard only on the device that started the route, a system session on any.
    func discardRefusal(_ body: RouteDiscarded, _ device: DeviceID, _ scope: Scope) -> Refusal? {
        guard let row = routes[ByteText(body.routeID)]?.row else { return Self.unknownRoute }
        if scope != .system, row.startedBy != device { return Self.otherDevice }
        return row.state == .open ? nil : Self.finishedRoute
    }

    func workoutRefusal(_ body: WorkoutSaved) -> Refusal? {
        guard workouts.count >= EventLimits.workoutsPerApp, workouts[ByteText(body.workoutID)] == nil else {
            return nil
        }
        return Refusal(.tooMany, "an app has at most \(EventLimits.workoutsPerApp) workouts")
    }

    private static let unknownRoute = Refusal(.routeUnknown, "the app has no route of this id")
    private static let otherDevice = Refusal(.routeOtherDevice, "another device started the route")
    private static let finishedRoute = Refusal(.routeFinished, "the route is finished")
}
