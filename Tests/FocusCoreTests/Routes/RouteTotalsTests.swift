import Testing

@testable import FocusCore

@Suite("UserState: route totals") struct RouteTotalsTests {
    /// The stage's clock starts at 2023-11-14T22:13:20Z, a Tuesday.
    private static let apps: [AppID] = [.chat, .mail]

    private func total(_ stage: Stage, _ key: String, _ app: AppID? = .chat) -> RouteTotalRow? {
        stage.value(RouteTotalRow.self, RowKey(.routeTotals, app: app, key: key))
    }

    /// Starts a route of `metres` metres at a constant speed of `pace` m/s, and finishes it if `finish` is true.
    private func run(
        _ stage: inout Stage, _ id: String, _ app: AppID = .chat, activity: String = "running", metres: Double,
        pace: Double = 4, from second: Double = 0, offset: Int32 = 0, device: DeviceID = .phone, finish: Bool = true
    ) {
        let start = RouteStarted(routeID: id, activity: activity, utcOffsetSeconds: offset)
        #expect(stage.send(.routeStarted(start), app: app, from: device, at: 1) == nil)
        let points = stride(from: 0, through: metres, by: metres / 20).map {
            RouteFixtures.point(at: second + $0 / pace, north: $0)
        }
        stage.send(
            .routeLocationsInserted(RouteLocationsInserted(routeID: id, points: points)), app: app,
            from: device, at: 2)
        let workout = WorkoutSaved(workoutID: "w", activity: activity, start: .at(0), end: .at(1))
        stage.send(.workoutSaved(workout), app: app, from: device, at: 3)
        guard finish else { return }
        let body = RouteFinished(routeID: id, workoutID: "w")
        #expect(stage.send(.routeFinished(body), app: app, from: device, at: 4) == nil)
    }

    @Test("R7: a finished route counts in the day, the ISO week, the month and all time, of its app and of all")
    func periods() throws {
        var stage = HistoryMaker.ready()
        run(&stage, "r", metres: 2_000)
        let totals = stage.rows.keys.filter { $0.collection == .routeTotals }.sorted()
        let keys = ["all/running", "day/2023-11-14/running", "month/2023-11/running", "week/2023-W46/running"]
        #expect(
            totals.map(\.key) == keys + keys && totals.map(\.app) == [nil, nil, nil, nil] + totals[4...].map(\.app))
        #expect(totals[4...].allSatisfy { $0.app == .chat } && Set(totals).isSubset(of: stage.touched))
        for key in keys { #expect(total(stage, key)?.routes == 1 && total(stage, key, nil) == total(stage, key)) }
        #expect(total(stage, keys[3])?.startsOn == CivilDate(year: 2023, month: 11, day: 13))
        #expect(total(stage, keys[2])?.startsOn == CivilDate(year: 2023, month: 11, day: 1))
        #expect(total(stage, keys[0])?.startsOn == nil && total(stage, keys[0])?.period == .all)
        let row = try #require(total(stage, keys[1]))
        let route = try RouteRow(decoding: stage.state.row(RowKey(.routes, app: .chat, key: "r"))!.value)
        #expect(row.distanceMillimetres == Int64((route.aggregates.distance * 1_000).rounded()))
        #expect(row.movingMicroseconds == route.aggregates.movingMicroseconds && row.elevationGainMillimetres == 0)
        #expect(row.longest?.routeID == "r" && row.longest?.app == .chat && row.longest?.start == .at(0))
        #expect(route.fastest.map(\.metres) == [1_000] && row.fastest.map(\.distanceMillimetres) == [1_000_000])
    }

    @Test("R7: the day is that of the first accepted point where the route was, not of the events or the workout")
    func day() {
        var stage = HistoryMaker.ready()
        // The stage's clock starts at 22:13:20 UTC, 6,400 s before midnight.
        run(&stage, "before", metres: 100, offset: 6_399)
        run(&stage, "after", metres: 100, offset: 6_400)
        run(&stage, "west", metres: 100, offset: -80_001)
        run(&stage, "long", metres: 100_000, pace: 1)
        for (day, routes) in [("2023-11-14", 2), ("2023-11-15", 1), ("2023-11-13", 1)] {
            #expect(total(stage, "day/\(day)/running")?.routes == Int64(routes), "\(day)")
        }
        #expect(total(stage, "week/2023-W46/running")?.routes == 4)
    }

    @Test("R7: unfinished and discarded routes count nowhere; finishing again counts nothing twice")
    func onlyFinished() {
        var stage = HistoryMaker.ready()
        run(&stage, "open", metres: 2_000, finish: false)
        #expect(!stage.rows.keys.contains { $0.collection == .routeTotals })
        stage.send(.routeDiscarded(RouteDiscarded(routeID: "open")), app: .chat, at: 5)
        run(&stage, "done", metres: 2_000)
        let before = stage.rows.filter { $0.key.collection == .routeTotals }
        #expect(
            stage.send(
                .routeFinished(RouteFinished(routeID: "done", workoutID: "w")), app: .chat, at: 5) == nil)
        // Saving the workout again with another activity or other times does not change the route.
        let workout = WorkoutSaved(workoutID: "w", activity: "walking", start: .at(-90_000), end: .at(1))
        stage.send(.workoutSaved(workout), app: .chat, at: 6)
        #expect(stage.rows.filter { $0.key.collection == .routeTotals } == before && before.count == 8)
    }

    @Test("R7: bests name the route that holds them; of equals the first recorded, then by app and id")
    func bests() throws {
        var stage = HistoryMaker.ready()
        run(&stage, "fast", metres: 6_000, pace: 5, from: 100)
        run(&stage, "long", metres: 11_000, pace: 3)
        run(&stage, "b", .mail, metres: 11_000, pace: 3)
        run(&stage, "a", .mail, metres: 11_000, pace: 3)
        run(&stage, "later", metres: 11_000, pace: 3, from: 9)
        let all = try #require(total(stage, "all/running", nil))
        #expect(all.routes == 5 && all.longest?.routeID == "long" && all.longest?.app == .chat)
        #expect(all.fastest.map(\.routeID) == ["fast", "fast", "long"])
        #expect(all.fastest.map(\.distanceMillimetres) == [1_000_000, 5_000_000, 10_000_000])
        let mail = try #require(total(stage, "all/running", .mail))
        #expect(mail.routes == 2 && mail.longest?.routeID == "a" && mail.fastest.map(\.routeID) == ["a", "a", "a"])
    }

    @Test("R7: activities are told apart by their bytes, whatever characters they have")
    func activities() {
        var stage = HistoryMaker.ready()
        let activities = ["run", "Run", "", "2023-11/run", "/", "é", "e\u{301}", String(repeating: "x", count: 4_096)]
        for (number, activity) in activities.enumerated() {
            run(&stage, "r\(number)", activity: activity, metres: 50)
            run(&stage, "s\(number)", .mail, activity: activity, metres: 50)
        }
        let totals = stage.rows.filter { $0.key.collection == .routeTotals }
        #expect(totals.count == activities.count * 4 * 3)
        for activity in activities {
            #expect(total(stage, "all/\(activity)")?.activity.utf8.elementsEqual(activity.utf8) == true)
            #expect(total(stage, "all/\(activity)")?.routes == 1 && total(stage, "all/\(activity)", nil)?.routes == 2)
        }
    }

    @Test("R7, A3: an app sees its own totals only; those over all apps are for system sessions")
    func scopes() {
        var stage = HistoryMaker.ready()
        for app in Self.apps { run(&stage, "r", app, metres: 50) }
        func keys(_ scope: Scope) -> [RowKey] {
            let view = View(scope: scope, device: .phone, deviceClass: .phone, collections: [.routeTotals])
            return stage.state.rows(after: SyncPosition(version: .zero), in: view, limitBytes: .max).rows.map(\.key)
        }
        #expect(keys(.app(.chat)).count == 4 && keys(.app(.chat)).allSatisfy { $0.app == .chat })
        #expect(keys(.system).count == 12 && keys(.system).count { $0.app == nil } == 4)
    }

    @Test("R7: sums end at the end of their range, in whatever order they come")
    func saturation() {
        func route(_ moving: Int64) -> FinishedRoute? {
            var row = RouteRow(routeID: "r", activity: "a", utcOffsetSeconds: 0, startedBy: .phone)
            row.aggregates.start = .at(0)
            row.aggregates.movingMicroseconds = moving
            row.aggregates.distance = moving == 5 ? .nan : 2e13
            row.aggregates.elevationGain = moving == 5 ? .infinity : 1e300
            return FinishedRoute(row, app: .chat)
        }
        for order in [[Int64.max, 5, 7], [5, 7, .max], [7, .max, 5]] {
            var row = RouteTotalRow(activity: "a", period: .all, startsOn: nil)
            for moving in order { route(moving).map { row.add($0) } }
            #expect(
                row.routes == 3 && row.movingMicroseconds == .max && row.distanceMillimetres == 40_000_000_000_000_000)
            #expect(row.elevationGainMillimetres == 0)
        }
    }

    @Test("A total that is damaged breaks the fold, and only then")
    func damaged() throws {
        var stage = HistoryMaker.ready()
        run(&stage, "r", metres: 50)
        run(&stage, "s", metres: 50, finish: false)
        var rows = stage.rows
        let key = RowKey(.routeTotals, app: .chat, key: "all/running")
        rows[key]!.value = [0xFF]
        var state = try UserState(user: .ada, version: stage.state.version, rows: rows)
        let event = Event(
            version: state.version.next, device: .phone, incarnation: Incarnation(1),
            sequence: state.lastSequence(of: .phone, incarnation: Incarnation(1)).next, id: EventID(Stage.uuid(9_999)),
            app: .chat, occurredAt: .at(9), recordedAt: .at(9),
            body: .routeFinished(RouteFinished(routeID: "s", workoutID: "w")))
        #expect(throws: FoldError.corruptRow(key)) { try state.apply(event) }
    }
}
