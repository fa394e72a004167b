import Testing

@testable import FocusCore

@Suite("UserState: routes and workouts") struct RouteRuleTests {
    /// Chat may record routes.
    private func ready() -> Stage {
        var stage = Stage.ready()
        for kind in [AuthorizationKind.location, .shareRoutes, .shareWorkouts] {
            stage.authorize(kind, .authorized, at: 0)
        }
        for kind in [AuthorizationKind.readRoutes, .readWorkouts] { stage.authorize(kind, .denied, at: 0) }
        return stage
    }

    private func start(_ stage: inout Stage, _ id: String = "r", from device: DeviceID = .phone) -> RefusalCode? {
        stage.send(
            .routeStarted(RouteStarted(routeID: id, activity: "running", utcOffsetSeconds: 3_600)), app: .chat,
            from: device,
            at: 1)
    }

    private func insert(
        _ stage: inout Stage, _ seconds: [Double], accuracy: Double = 5, _ id: String = "r",
        from device: DeviceID = .phone, at time: Double = 2
    ) -> RefusalCode? {
        let points = seconds.map { second -> RoutePoint in
            var point = RouteFixtures.point(at: second, north: second * 3)
            point.horizontalAccuracy = accuracy
            return point
        }
        return stage.send(
            .routeLocationsInserted(RouteLocationsInserted(routeID: id, points: points)), app: .chat, from: device,
            at: time)
    }

    private func save(_ stage: inout Stage, _ id: String = "w", activity: String = "running", at second: Double = 3) {
        let body = WorkoutSaved(workoutID: id, activity: activity, start: .at(0), end: .at(10))
        #expect(stage.send(.workoutSaved(body), app: .chat, at: second) == nil)
    }

    private func finish(
        _ stage: inout Stage, _ id: String = "r", workout: String = "w", from device: DeviceID = .phone
    ) -> RefusalCode? {
        let body = RouteFinished(routeID: id, workoutID: workout, metadata: ["shoes": "red"])
        return stage.send(.routeFinished(body), app: .chat, from: device, at: 4)
    }

    private func row(_ stage: Stage, _ id: String = "r") -> RouteRow? {
        guard let row = stage.state.row(RowKey(.routes, app: .chat, key: id)), !row.isDeleted else { return nil }
        return try? RouteRow(decoding: row.value)
    }

    @Test(
        "R1: inserting and finishing need permission too; what was recorded before it ended is taken after it",
        arguments: [AuthorizationKind.location, .shareRoutes, .shareWorkouts])
    func withdrawn(kind: AuthorizationKind) {
        var stage = ready()
        #expect(start(&stage) == nil)
        save(&stage)
        // The stage inserts at second 2 and finishes at second 4.
        stage.authorize(kind, .denied, at: 3, from: .watch)
        #expect(insert(&stage, [0, 1]) == nil)
        #expect(finish(&stage) == .notAuthorized)
        #expect(row(stage)?.state == .open)
        stage.authorize(kind, .authorized, at: 5, from: .watch)
        #expect(finish(&stage) == nil)
        var strict = ready()
        #expect(start(&strict) == nil)
        strict.authorize(kind, .denied, at: 1, from: .watch)
        #expect(insert(&strict, [0, 1]) == .notAuthorized)
    }

    @Test("R1: permission ends once: a denial said again does not let in what was recorded between the two")
    func deniedAgain() {
        var stage = ready()
        #expect(start(&stage) == nil)
        stage.authorize(.location, .denied, at: 1, from: .watch)
        stage.authorize(.location, .restricted, at: 3, from: .watch)
        // The stage inserts at second 2.
        #expect(insert(&stage, [0, 1]) == .notAuthorized)
        #expect(row(stage)?.state == .open)
    }

    @Test("R1: when all privacy settings are reset, what was recorded before is taken, and nothing after")
    func reset() {
        var stage = ready()
        #expect(start(&stage) == nil)
        for kind in [AuthorizationKind.location, .shareRoutes, .shareWorkouts, .readRoutes, .readWorkouts] {
            stage.authorize(kind, .authorized, at: 1.5, from: .watch)
            stage.authorize(kind, .notDetermined, at: 3, from: .watch)
        }
        // The stage inserts at second 2.
        #expect(insert(&stage, [0, 1]) == nil)
        #expect(insert(&stage, [5], at: 4) == .notAuthorized)
    }

    @Test("E3, R1: an event offered for a lost place is judged as of its own time")
    func lostPlace() throws {
        var stage = ready()
        #expect(start(&stage) == nil)
        let next = stage.state.lastSequence(of: .phone, incarnation: Incarnation(1)).next
        let lost = DeviceEventsLost(first: next, last: next)
        stage.heal(.deviceEventsLost(lost), from: .phone, sequence: next.rawValue, at: 1)
        stage.heal(.badgeCleared, app: .chat, from: .phone, at: 60)
        stage.authorize(.location, .denied, at: 50, from: .watch)
        let points = RouteLocationsInserted(routeID: "r", points: [RouteFixtures.point(at: 0)])
        let offered = Event(
            version: stage.state.version.next, device: .phone, incarnation: Incarnation(1), sequence: next,
            id: EventID(Stage.uuid(77)), app: .chat, occurredAt: .at(40), recordedAt: stage.now,
            body: .routeLocationsInserted(points))
        #expect(stage.state.validate(offered, scope: .system) == nil)
    }

    @Test("R1: a permission that was never given never ended: what is dated before its denial is not taken")
    func neverGiven() throws {
        let body = EventBody.workoutSaved(
            WorkoutSaved(workoutID: "w", activity: "running", start: .at(0), end: .at(1)))
        var stage = Stage.ready()
        stage.authorize(.readWorkouts, .denied, at: 1)
        stage.authorize(.shareWorkouts, .denied, at: 10, from: .watch)
        #expect(stage.send(body, app: .chat, at: 5) == .notAuthorized)
        stage.authorize(.shareWorkouts, .authorized, at: 11, from: .watch)
        stage.authorize(.shareWorkouts, .denied, at: 20, from: .watch)
        // A state that is loaded again knows it too.
        var loaded = stage
        loaded.state = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        #expect(stage.send(body, app: .chat, at: 15) == nil)
        #expect(loaded.send(body, app: .chat, at: 15) == nil)
    }

    @Test("R1: saving a workout needs shareWorkouts authorized and readWorkouts asked for, and no location")
    func savingAWorkout() {
        let body = EventBody.workoutSaved(
            WorkoutSaved(workoutID: "w", activity: "running", start: .at(0), end: .at(10)))
        var stage = Stage.ready()
        #expect(stage.send(body, app: .chat, at: 1) == .notAuthorized)
        stage.authorize(.shareWorkouts, .authorized, at: 2)
        #expect(stage.send(body, app: .chat, at: 3) == .notAuthorized)
        stage.authorize(.readWorkouts, .denied, at: 4)
        #expect(stage.send(body, app: .chat, at: 5) == nil)
    }

    @Test("R1: starting needs three kinds authorized and two asked for")
    func authorizations() {
        var stage = ready()
        for kind in [AuthorizationKind.location, .shareRoutes, .shareWorkouts] {
            stage.authorize(kind, .restricted, at: 0)
            #expect(start(&stage) == .notAuthorized)
            stage.authorize(kind, .authorized, at: 0)
        }
        for kind in [AuthorizationKind.readRoutes, .readWorkouts] {
            stage.authorize(kind, .notDetermined, at: 0)
            #expect(start(&stage) == .notAuthorized)
            stage.authorize(kind, .authorized, at: 0)
        }
        #expect(start(&stage) == nil)
        #expect(start(&stage) == .routeExists)
    }

    @Test("R2, R3: accepted + duplicate + dropped = logged, and the row follows")
    func inserting() {
        var stage = ready()
        #expect(start(&stage) == nil)
        #expect(insert(&stage, [3, 1, 2, 2]) == nil)
        #expect(insert(&stage, [4, 5], accuracy: 50.01) == nil)
        #expect(insert(&stage, [6], accuracy: 50) == nil)
        let counts = row(stage)?.aggregates.counts
        #expect(counts?.accepted == 4 && counts?.duplicate == 1 && counts?.dropped == 2 && counts?.logged == 7)
        #expect(row(stage)?.state == .open)
        let chunks = stage.rows.filter { $0.key.collection == .routePoints }
        #expect(chunks.keys.map(\.key) == ["r/0"])
        #expect(stage.touched.contains(RowKey(.routePoints, app: .chat, key: "r/0")))
    }

    @Test("R4: finish before the workout is workout_unknown; a retry with a new sequence succeeds")
    func finishing() {
        var stage = ready()
        #expect(finish(&stage) == .routeUnknown)
        #expect(start(&stage) == nil)
        #expect(finish(&stage) == .routeEmpty)
        #expect(insert(&stage, [1, 2, 3]) == nil)
        #expect(finish(&stage) == .workoutUnknown)
        #expect(row(stage)?.state == .open)
        #expect(insert(&stage, [4]) == nil)
        save(&stage)
        #expect(insert(&stage, [5]) == nil)
        #expect(finish(&stage) == nil)
        #expect(
            row(stage)?.state == .finished && row(stage)?.workoutID == "w" && row(stage)?.metadata == ["shoes": "red"])
        #expect(row(stage)?.polyline != nil && row(stage)?.aggregates.counts.accepted == 5)
    }

    @Test("R4: finished: again with the same workout is no change, with another an error; nothing is inserted any more")
    func sealed() {
        var stage = ready()
        _ = start(&stage)
        _ = insert(&stage, [1, 2])
        save(&stage)
        save(&stage, "w2")
        #expect(finish(&stage) == nil)
        let before = stage.state.row(RowKey(.routes, app: .chat, key: "r"))
        #expect(finish(&stage) == nil)
        #expect(finish(&stage, workout: "w2") == .routeAlreadyAssociated)
        #expect(insert(&stage, [3]) == .routeFinished)
        #expect(stage.send(.routeDiscarded(RouteDiscarded(routeID: "r")), app: .chat, at: 5) == .routeFinished)
        #expect(stage.state.row(RowKey(.routes, app: .chat, key: "r")) == before)
        // A workout may own several routes.
        _ = start(&stage, "r2")
        _ = insert(&stage, [1, 2], "r2")
        #expect(finish(&stage, "r2") == nil)
    }

    @Test("R4: insert and finish come from the device that started; a system session discards from anywhere")
    func devices() {
        var stage = ready()
        _ = start(&stage)
        _ = insert(&stage, [1])
        save(&stage)
        #expect(insert(&stage, [2], from: .tablet) == .routeOtherDevice)
        #expect(finish(&stage, from: .tablet) == .routeOtherDevice)
        let discard = EventBody.routeDiscarded(RouteDiscarded(routeID: "r"))
        #expect(stage.send(discard, app: .chat, from: .tablet, at: 5, scope: .app(.chat)) == .routeOtherDevice)
        #expect(stage.send(discard, app: .chat, from: .tablet, at: 5) == nil)
        #expect(row(stage) == nil && insert(&stage, [3]) == .routeUnknown)
        #expect(!stage.rows.keys.contains { $0.collection == .routePoints })
        #expect(start(&stage) == nil)
    }

    @Test("E5: 3,000 points in a batch pass, 3,001 do not; none is field_missing")
    func batches() {
        var stage = ready()
        _ = start(&stage)
        #expect(insert(&stage, (0..<3_001).map(Double.init)) == .tooManyPoints)
        #expect(insert(&stage, (0..<3_000).map(Double.init)) == nil)
        #expect(insert(&stage, []) == .fieldMissing)
        #expect(row(stage)?.aggregates.counts.accepted == 3_000)
    }

    @Test("E3: a workout is a register; it does not end before it starts")
    func workouts() {
        var stage = ready()
        save(&stage, activity: "running", at: 5)
        let late = WorkoutSaved(workoutID: "w", activity: "walking", start: .at(0), end: .at(1))
        stage.send(.workoutSaved(late), app: .chat, from: .tablet, at: 4)
        let key = RowKey(.workouts, app: .chat, key: "w")
        #expect(stage.value(WorkoutRow.self, key)?.activity == "running")
        let backwards = WorkoutSaved(workoutID: "w", activity: "walking", start: .at(1), end: .at(0.999_999))
        #expect(stage.send(.workoutSaved(backwards), app: .chat, at: 6) == .fieldInvalid)
    }
}
