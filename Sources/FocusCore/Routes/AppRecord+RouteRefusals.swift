extension AppRecord {
    /// Rule R1: why nothing may be recorded; nil when it may. Permission comes before any of the data.
    /// - Parameter stamp: of the event, when its route is under way: what was recorded before permission ended is taken
    ///   after it. Nil: as it stands now.
    private func recordingRefusal(at stamp: () -> Stamp?) -> Refusal? {
        permissionRefusal(
            "recording a route", given: [.location, .shareRoutes, .shareWorkouts],
            askedFor: [.readRoutes, .readWorkouts], at: stamp)
    }

    private func permissionRefusal(
        _ what: String, given: [AuthorizationKind], askedFor: [AuthorizationKind], at stamp: () -> Stamp?
    ) -> Refusal? {
        func isBeforeEnd(of kind: AuthorizationKind) -> Bool {
            guard let stamp = stamp(), let end = self[kind].endedAt else { return false }
            return stamp < end
        }
        for kind in given where status(kind) != .authorized && !isBeforeEnd(of: kind) {
            return Refusal(.notAuthorized, "\(what) needs \(kind.name) authorized")
        }
        for kind in askedFor where status(kind) == .notDetermined && !isBeforeEnd(of: kind) {
            return Refusal(.notAuthorized, "\(what) needs \(kind.name) asked for")
        }
        return nil
    }

    /// Rule R1.
    func startRefusal(_ body: RouteStarted) -> Refusal? {
        if let refusal = recordingRefusal(at: { nil }) { return refusal }
        if routes[ByteText(body.routeID)] != nil {
            return Refusal(.routeExists, "the app has a route of this id")
        }
        guard routes.count < EventLimits.routesPerApp else {
            return Refusal(.tooMany, "an app has at most \(EventLimits.routesPerApp) routes")
        }
        return nil
    }

    /// Rule R4.
    func insertRefusal(
        _ body: RouteLocationsInserted, _ device: DeviceID, at stamp: () -> Stamp
    ) -> Refusal? {
        guard let row = routes[ByteText(body.routeID)]?.row else { return Self.unknownRoute }
        guard row.startedBy == device else { return Self.otherDevice }
        guard row.state == .open else { return Self.finishedRoute }
        if let refusal = recordingRefusal(at: stamp) { return refusal }
        guard row.aggregates.counts.logged + body.points.count <= EventLimits.pointsPerRoute else {
            return Refusal(.tooManyPoints, "a route has at most \(EventLimits.pointsPerRoute) points")
        }
        return nil
    }

    /// Rule R4. A refused finish leaves the route open.
    func finishRefusal(_ body: RouteFinished, _ device: DeviceID, at stamp: () -> Stamp) -> Refusal? {
        guard let row = routes[ByteText(body.routeID)]?.row else { return Self.unknownRoute }
        guard row.startedBy == device else { return Self.otherDevice }
        switch row.state {
        case .finished:
            if let workout = row.workoutID, ByteText.equal(workout, body.workoutID) { return nil }
            return Refusal(.routeAlreadyAssociated, "the route is finished with another workout")
        case .open:
            if let refusal = recordingRefusal(at: stamp) { return refusal }
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

    /// Rule R1, without location: a workout has none.
    func workoutRefusal(_ body: WorkoutSaved, at stamp: () -> Stamp) -> Refusal? {
        let refusal = permissionRefusal(
            "saving a workout", given: [.shareWorkouts], askedFor: [.readWorkouts], at: stamp)
        if let refusal { return refusal }
        guard workouts.count >= EventLimits.workoutsPerApp, workouts[ByteText(body.workoutID)] == nil else {
            return nil
        }
        return Refusal(.tooMany, "an app has at most \(EventLimits.workoutsPerApp) workouts")
    }

    private static let unknownRoute = Refusal(.routeUnknown, "the app has no route of this id")
    private static let otherDevice = Refusal(.routeOtherDevice, "another device started the route")
    private static let finishedRoute = Refusal(.routeFinished, "the route is finished")
}
