import Testing

@testable import FocusCore

@Suite("UserState: fetches") struct FetchTests {
    private let route = AppItem(.chat, "r")

    /// Chat has a route of `count` points, one second apart, and a workout; Mail is registered.
    private func stage(_ count: Int = 5, finished: Bool = false) -> Stage {
        var stage = Stage.ready([.chat, .mail])
        for kind in [AuthorizationKind.location, .shareRoutes, .shareWorkouts, .readRoutes, .readWorkouts] {
            stage.authorize(kind, .authorized, at: 0)
        }
        record(&stage, "r", count)
        if finished {
            stage.send(.routeFinished(RouteFinished(routeID: "r", workoutID: "w")), app: .chat, at: 4)
        }
        return stage
    }

    private func record(_ stage: inout Stage, _ id: String, _ count: Int = 1) {
        stage.send(
            .routeStarted(RouteStarted(routeID: id, activity: "running", utcOffsetSeconds: 0)), app: .chat, at: 1)
        let points = (0..<count).map { RouteFixtures.point(at: Double($0), north: Double($0) * 3) }
        for start in stride(from: 0, to: count, by: 3_000) {
            let batch = Array(points[start..<min(count, start + 3_000)])
            stage.send(
                .routeLocationsInserted(RouteLocationsInserted(routeID: id, points: batch)), app: .chat, at: 2)
        }
        stage.send(
            .workoutSaved(WorkoutSaved(workoutID: "w", activity: "running", start: .at(0), end: .at(3))), app: .chat,
            at: 3)
    }

    private var questions: [FetchQuestion] {
        [
            .routePoints(route, from: nil, to: nil, limit: 0),
            .routeSpeed(route, from: RouteFixtures.time(0), to: RouteFixtures.time(2)), .route(route),
        ]
    }

    private func ids(_ stage: Stage, _ question: FetchQuestion, _ scope: Scope) -> [AppItem]? {
        guard case .answer(.rows(let rows, _)) = stage.state.fetch(question, scope: scope) else { return nil }
        return rows.compactMap { row in row.key.app.map { AppItem($0, row.key.key) } }
    }

    @Test(
        "R1: an app reads its own routes, and another's only while authorized to readRoutes", arguments: [true, false])
    func routes(finished: Bool) {
        var stage = stage(finished: finished)
        for question in questions {
            #expect(stage.state.fetch(question, scope: .app(.chat)) != .notFound)
            #expect(stage.state.fetch(question, scope: .system) != .notFound)
        }
        let statuses: [AuthorizationStatus?] = [nil, .denied, .restricted, .notSupported, .authorized, .notDetermined]
        for status in statuses {
            if let status { stage.authorize(.readRoutes, status, .mail, at: 5) }
            let mayRead = status == .authorized && finished
            for question in questions {
                #expect((stage.state.fetch(question, scope: .app(.mail)) != .notFound) == mayRead, "\(status as Any)")
            }
            #expect(ids(stage, .routes(after: nil), .app(.mail)) == (mayRead ? [route] : []))
        }
        // An app needs no authorization to read its own routes.
        stage.authorize(.readRoutes, .denied, at: 6)
        for question in questions { #expect(stage.state.fetch(question, scope: .app(.chat)) != .notFound) }
    }

    @Test("R1: workouts are read with readWorkouts, not with readRoutes")
    func workouts() {
        var stage = stage()
        let workout = AppItem(.chat, "w")
        #expect(ids(stage, .workouts(after: nil), .app(.chat)) == [workout])
        #expect(ids(stage, .workouts(after: nil), .system) == [workout])
        stage.authorize(.readRoutes, .authorized, .mail, at: 5)
        #expect(ids(stage, .workouts(after: nil), .app(.mail)) == [])
        stage.authorize(.readRoutes, .denied, .mail, at: 5)
        stage.authorize(.readWorkouts, .authorized, .mail, at: 5)
        #expect(ids(stage, .workouts(after: nil), .app(.mail)) == [workout])
        #expect(ids(stage, .routes(after: nil), .app(.mail)) == [])
    }

    @Test("R1: what there is not and what is not for the session are answered alike")
    func alike() {
        let stage = stage()
        for item in [route, AppItem(.chat, "other"), AppItem(AppID("com.example.nothing")!, "r")] {
            for question in [
                FetchQuestion.routePoints(item, from: nil, to: nil, limit: 0),
                .routeSpeed(item, from: .at(0), to: .at(1)), .route(item),
            ] {
                #expect(stage.state.fetch(question, scope: .app(.mail)) == .notFound)
            }
        }
        #expect(
            stage.state.fetch(.routes(after: nil), scope: .app(.mail))
                == stage.state.fetch(.routes(after: route), scope: .app(AppID("com.example.nothing")!)))
    }

    @Test("R1: a discarded route is not there, and the row is that of the deltas")
    func row() throws {
        var stage = stage()
        let key = RowKey(.routes, app: .chat, key: "r")
        let row = try #require(stage.state.row(key))
        #expect(
            stage.state.fetch(.route(route), scope: .system)
                == .answer(.rows([DeltaRow(key: key, version: row.version, value: row.value)], more: false)))
        stage.send(.routeDiscarded(RouteDiscarded(routeID: "r")), app: .chat, at: 5)
        for question in questions { #expect(stage.state.fetch(question, scope: .system) == .notFound) }
        #expect(ids(stage, .routes(after: nil), .system) == [])
    }

    @Test("R1: lists come in pages of at most 200, ordered by app and id, each route once")
    func pages() {
        var stage = stage()
        var expected = [route]
        // Ids with a common prefix, and two that differ only in their bytes.
        for number in 0..<450 { expected.append(AppItem(.chat, "r\(number)")) }
        expected += [AppItem(.chat, "é"), AppItem(.chat, "e\u{301}")]
        for item in expected.dropFirst() { record(&stage, item.id) }
        var found: [AppItem] = []
        var sizes: [Int] = []
        while true {
            guard
                case .answer(.rows(let rows, let more)) = stage.state.fetch(.routes(after: found.last), scope: .system)
            else {
                Issue.record("no rows")
                return
            }
            found += rows.map { AppItem($0.key.app!, $0.key.key) }
            sizes.append(rows.count)
            guard more, found.count <= expected.count else { break }
        }
        #expect(found == expected.sorted())
        #expect(sizes.allSatisfy { (1...FetchLimits.rowsPerPage).contains($0) } && sizes.count > 2, "\(sizes)")
    }

    @Test("R1: points of an open route come in pages that follow one another", arguments: [1, 7, 1_000, 0, 5_000])
    func points(limit: Int) {
        let stage = stage(2_500)
        let all = (0..<2_500).map { RouteFixtures.point(at: Double($0), north: Double($0) * 3) }
        let (from, to) = (RouteFixtures.time(99.5), RouteFixtures.time(limit == 1 ? 120 : 2_000))
        var found: [RoutePoint] = []
        var next: Timestamp? = from
        while let time = next {
            guard
                case .answer(.points(let page, let following)) = stage.state.fetch(
                    .routePoints(route, from: time, to: to, limit: limit), scope: .system)
            else {
                Issue.record("no points")
                return
            }
            #expect(page.count <= min(limit == 0 ? 1_000 : limit, FetchLimits.pointsPerPage) && !page.isEmpty)
            found += page
            next = found.count <= all.count ? following : nil
        }
        #expect(found == all.filter { $0.time >= from && $0.time <= to })
        let outside = stage.state.fetch(
            .routePoints(route, from: RouteFixtures.time(3_000), to: nil, limit: limit), scope: .system)
        #expect(outside == .answer(.points([], next: nil)))
        let reversed = stage.state.fetch(.routePoints(route, from: to, to: from, limit: limit), scope: .system)
        #expect(reversed == .answer(.points([], next: nil)))
    }

    @Test("A route without points has none to give, and no speed")
    func empty() {
        let stage = stage(0)
        #expect(
            stage.state.fetch(.routePoints(route, from: nil, to: nil, limit: 0), scope: .system)
                == .answer(.points([], next: nil)))
        #expect(
            stage.state.fetch(.routeSpeed(route, from: .at(0), to: .at(1)), scope: .system) == .answer(.speed(nil)))
    }
}
