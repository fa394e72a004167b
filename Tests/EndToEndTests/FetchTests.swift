import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Rules R1 and R6 over real TCP.
@Suite("Fetch", .fewAtATime) struct FetchTests {
    private let user = UserID.random()
    private let trails = AppID("com.example.trails")!
    private let coach = AppID("com.example.coach")!
    private var route: AppItem { AppItem(trails, "morning") }
    private let start = Timestamp(microseconds: Timestamp.now.microseconds - 3_600_000_000)

    private func time(_ second: Double) -> Timestamp { start.adding(microseconds: Int64(second * 1e6)) }

    /// Points of a route to the north at about 3 m/s.
    private func points(_ count: Int) -> [RoutePoint] {
        (0..<count).map {
            RoutePoint(time: time(Double($0)), latitude: 46 + Double($0) * 2.7e-5, longitude: 14, horizontalAccuracy: 5)
        }
    }

    private func ready() -> [Envelope] {
        [trails, coach].map {
            Envelope.of(.appRegistered(AppRegistered(name: "App", build: 1)), app: $0.rawValue)
        } + [.location, .shareRoutes, .shareWorkouts, .readRoutes, .readWorkouts].map { allow($0, trails) }
    }

    private func allow(
        _ kind: AuthorizationKind, _ app: AppID, _ status: AuthorizationStatus = .authorized
    ) -> Envelope {
        .of(.authorizationChanged(AuthorizationChanged(kind: kind, status: status)), app: app.rawValue)
    }

    private func life(_ count: Int, finished: Bool = true) -> [Envelope] {
        let all = points(count)
        var events: [EventBody] = [
            .routeStarted(RouteStarted(routeID: "morning", activity: "running", utcOffsetSeconds: 0))
        ]
        for from in stride(from: 0, to: count, by: 3_000) {
            let batch = Array(all[from..<min(count, from + 3_000)])
            events.append(.routeLocationsInserted(RouteLocationsInserted(routeID: "morning", points: batch)))
        }
        events.append(
            .workoutSaved(
                WorkoutSaved(workoutID: "w", activity: "running", start: start, end: time(Double(count)))))
        if finished { events.append(.routeFinished(RouteFinished(routeID: "morning", workoutID: "w"))) }
        return events.map { .of($0, app: trails.rawValue) }
    }

    /// Appends one event for each frame, because a frame of points is large.
    private func log(_ envelopes: [Envelope], from first: Int64, by client: WireClient) async throws {
        for (index, envelope) in envelopes.enumerated() {
            try await client.append(from: first + Int64(index), [envelope])
        }
        let last = DeviceSequence(first + Int64(envelopes.count) - 1)
        while true {
            let appended = try await client.appended()
            #expect(appended.refused.isEmpty, "\(appended.refused)")
            if appended.throughSequence >= last { return }
        }
    }

    private func ask(_ client: WireClient, _ id: UInt64, _ question: FetchQuestion) async throws -> FetchAnswer? {
        try await client.send(.fetch(FetchRequest(id: id, question)))
        return try await client.first { message -> FetchAnswer?? in
            switch message {
            case .fetched(let fetched) where fetched.request == id: .some(fetched.answer)
            case .error(let error) where error.request == id && error.code == .notFound: .some(nil)
            default: nil
            }
        }
    }

    private func allPoints(_ client: WireClient, limit: Int) async throws -> [RoutePoint] {
        var found: [RoutePoint] = []
        var from: Timestamp? = Timestamp(microseconds: .min)
        while let time = from {
            let answer = try await ask(client, 77, .routePoints(route, from: time, to: nil, limit: limit))
            guard case .points(let page, let next) = answer else { throw WireError.unexpected("\(answer as Any)") }
            found += page
            from = next
        }
        return found
    }

    @Test("R1: points come page by page: open, just finished, and of a server that finds them in the table")
    func pages() async throws {
        try await TestServer.with { server in
            let (phone, welcome) = try await WireClient.open(server, user: user)
            #expect(welcome.maximumFetches == 4)
            let setUp = ready()
            let events = life(5_000)
            try await log(setUp + events.dropLast(), from: 1, by: phone)
            #expect(try await allPoints(phone, limit: 0) == points(5_000))
            try await log([events.last!], from: Int64(setUp.count + events.count), by: phone)
            #expect(try await allPoints(phone, limit: 900) == points(5_000))
            try await onThread {
                let reader = try server.database()
                defer { reader.close() }
                try eventually("the projector caught up") {
                    try reader.query(TestStatement.sumCheckpoints).int8(row: 0, column: 0)
                        == Int64(setUp.count + events.count)
                }
            }
            let other = try await TestServer.start(conninfo: server.conninfo)
            let (tablet, _) = try await WireClient.open(other, user: user)
            #expect(try await allPoints(tablet, limit: 0) == points(5_000))
            let some = try await ask(
                tablet, 1, .routePoints(route, from: time(2_000.5), to: time(2_004), limit: 0))
            #expect(some == .points(Array(points(2_005)[2_001...]), next: nil))
            await tablet.close()
            await phone.close()
            try await other.server.stop()
        }
    }

    @Test(
        "R6: speed over an interval is asked of the server; outside the route there is none", arguments: [true, false])
    func speed(finished: Bool) async throws {
        try await TestServer.with { server in
            let (phone, _) = try await WireClient.open(server, user: user)
            try await log(ready() + life(600, finished: finished), from: 1, by: phone)
            guard
                case .speed(.some(let speed)) = try await ask(
                    phone, 1, .routeSpeed(route, from: time(10.25), to: time(599)))
            else {
                Issue.record("no speed")
                return
            }
            #expect(abs(speed - 3.0) < 0.01)
            for (from, to) in [(-0.1, 5.0), (5, 599.1), (5, 5), (6, 5)] {
                #expect(
                    try await ask(phone, 2, .routeSpeed(route, from: time(from), to: time(to))) == .speed(nil))
            }
            await phone.close()
        }
    }

    @Test("R1: another app reads with readRoutes only, by Fetch only, and no answer tells that there is anything else")
    func otherApp() async throws {
        try await TestServer.with { server in
            let (system, _) = try await WireClient.open(server, user: user)
            let setUp = ready() + life(300)
            try await log(setUp, from: 1, by: system)
            let (app, _) = try await WireClient.open(server, user: user, scope: .app(coach))
            let questions: [FetchQuestion] = [
                .routePoints(route, from: nil, to: nil, limit: 0),
                .routeSpeed(route, from: time(0), to: time(1)), .route(route),
            ]
            let unknown = AppItem(AppID("com.example.none")!, "none")
            for (id, question) in questions.enumerated() {
                #expect(try await ask(app, UInt64(id), question) == nil)
                #expect(try await ask(app, UInt64(id), .route(unknown)) == nil)
            }
            #expect(try await ask(app, 8, .routes(after: nil)) == .rows([], more: false))
            #expect(try await ask(app, 8, .workouts(after: nil)) == .rows([], more: false))

            try await log([allow(.readRoutes, coach)], from: Int64(setUp.count + 1), by: system)
            #expect(try await allPoints(app, limit: 0) == points(300))
            guard case .rows(let rows, false) = try await ask(app, 9, .routes(after: nil)) else {
                Issue.record("no rows")
                return
            }
            #expect(rows.map(\.key) == [RowKey(.routes, app: trails, key: "morning")])
            #expect(try await ask(app, 8, .workouts(after: nil)) == .rows([], more: false))
            try await log([allow(.readWorkouts, coach)], from: Int64(setUp.count + 2), by: system)
            guard case .rows(let workouts, false) = try await ask(app, 9, .workouts(after: nil)) else {
                Issue.record("no rows")
                return
            }
            #expect(workouts.map(\.key) == [RowKey(.workouts, app: trails, key: "w")])

            // The permission is withdrawn: fetches find nothing from now on, and no delta ever contained the route.
            try await log([allow(.readRoutes, coach, .denied)], from: Int64(setUp.count + 3), by: system)
            for (id, question) in questions.enumerated() { #expect(try await ask(app, UInt64(id), question) == nil) }
            let (fresh, _) = try await WireClient.open(server, user: user, scope: .app(coach))
            var replica = Replica()
            while replica.checkpoints == 0 { replica.apply(try await fresh.next()) }
            #expect(replica.rows.keys.allSatisfy { $0.app == coach })
            await fresh.close()
            await app.close()
            await system.close()
        }
    }

    @Test("R1: permission that ends while the points are being read is no permission")
    func withdrawnMeanwhile() async throws {
        try await TestServer.with(partitions: 1) { server in
            let (system, _) = try await WireClient.open(server, user: user)
            let setUp = ready() + [allow(.readRoutes, coach)] + life(300)
            try await log(setUp, from: 1, by: system)
            try await onThread {
                let reader = try server.database()
                defer { reader.close() }
                try eventually("the projector caught up") {
                    try reader.query(TestStatement.sumCheckpoints).int8(row: 0, column: 0) == Int64(setUp.count)
                }
            }
            let other = try await TestServer.start(conninfo: server.conninfo)
            let (agent, _) = try await WireClient.open(other, user: user)
            let (app, _) = try await WireClient.open(other, user: user, scope: .app(coach))
            // Holds up the fetcher's statement.
            let holder = try server.database()
            try holder.execute("BEGIN; LOCK TABLE read_1.route_points IN ACCESS EXCLUSIVE MODE")
            try await app.send(.fetch(FetchRequest(id: 1, .routePoints(route, from: nil, to: nil, limit: 0))))
            try await onThread {
                let reader = try server.database()
                defer { reader.close() }
                try eventually("the fetcher waits") {
                    try reader.query(TestStatement.countWaiting).int8(row: 0, column: 0) > 0
                }
            }
            // While the fetcher waits, the lane appends and sends what changed.
            try await log([allow(.readRoutes, coach, .denied)], from: 1, by: agent)
            try holder.execute("ROLLBACK")
            holder.close()
            let error = try await app.error()
            #expect(error.code == .notFound && error.request == 1)
            await app.close()
            await agent.close()
            await system.close()
            try await other.server.stop()
        }
    }

    @Test("R1: the client library asks for points, speed, rows and lists, and is refused what is not its own")
    func library() async throws {
        try await TestServer.with { server in
            let state = try TestDirectory.make()
            defer { try? FileManager.default.removeItem(atPath: state) }
            let (phone, _) = try await WireClient.open(server, user: user)
            try await log(ready() + life(2_500), from: 1, by: phone)
            await phone.close()
            func client(_ name: String, _ scope: Scope) async throws -> SyncClient {
                try SyncClient(
                    configuration: .patient(
                        port: server.port, token: try TestServer.token(user, .random(), scope)),
                    store: DeviceStore(directory: "\(state)/\(name)"))
            }
            let own = try await client("own", .app(trails))
            #expect(try await own.route.points(of: "morning") == points(2_500))
            let between = time(10)...time(20)
            #expect(try await own.route.points(of: "morning", between: between) == Array(points(21)[10...]))
            // More questions at once than the server accepts at a time.
            let speeds = try await withThrowingTaskGroup(of: Double?.self) { group in
                for second in 0..<20 {
                    group.addTask {
                        try await own.route.speed(
                            of: "morning", from: time(Double(second)), to: time(Double(second) + 1))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(speeds.count == 20 && speeds.allSatisfy { abs(($0 ?? 0) - 3) < 0.1 })
            #expect(try await own.route.speed(of: "morning", from: time(-1), to: time(1)) == nil)
            #expect(try await own.route.fetch("morning").aggregates.counts.accepted == 2_500)
            #expect(try await own.route.fetchAll().keys.sorted() == [route])
            #expect(try await own.route.fetchWorkouts().keys.sorted() == [AppItem(trails, "w")])
            await own.close()
            let other = try await client("other", .app(coach))
            for id in ["morning", "none"] {
                let error = await #expect(throws: SyncClientError.self) {
                    try await other.route.points(of: id, app: trails)
                }
                guard case .fetchFailed(let problem) = error else {
                    Issue.record("\(error as Any)")
                    return
                }
                #expect(problem.code == .notFound)
            }
            #expect(try await other.route.fetchAll().isEmpty)
            await other.close()
        }
    }
}
