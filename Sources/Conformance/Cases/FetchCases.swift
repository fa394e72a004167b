import FocusCore

/// R1, R6: what a session asks for with Fetch.
enum FetchCases {
    private static let trails = AppID("trails")
    private static let count = 1_500

    static let all: [ConformanceCase] = [
        ConformanceCase("R1", "points of a route come page by page, in order, each once") { context in
            guard let route else { return }
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            let start = try await record(live)
            for connection in [live.connection, try await context.open(device.sibling()).connection] {
                var times: [Timestamp] = []
                var from: Timestamp? = Timestamp(microseconds: .min)
                var pages = 0
                while let time = from {
                    let answer = try await fetch(connection, .routePoints(route, from: time, to: nil, limit: 400))
                    guard case .points(let page, let next)? = answer else {
                        throw CaseFailure("no points: \(answer as Any)")
                    }
                    try expect(!page.isEmpty && page.count <= 400, "a page of \(page.count) points")
                    (times, from, pages) = (times + page.map(\.time), next, pages + 1)
                }
                try expect(times == (0..<count).map { second(start, $0) }, "\(times.count) points in \(pages) pages")
            }
        },
        ConformanceCase("R6", "the speed over an interval; outside the route there is none") { context in
            guard let route else { return }
            let live = try await context.open(.ofNewUser())
            let start = try await record(live)
            let inside = try await fetch(
                live.connection, .routeSpeed(route, from: second(start, 10), to: second(start, 900)))
            guard case .speed(let speed?)? = inside else { throw CaseFailure("no speed: \(inside as Any)") }
            try expect(abs(speed - 3) < 0.05, "\(speed) m/s instead of 3")
            for (from, to) in [(-1, 5), (5, count + 1), (5, 5), (6, 5)] {
                let outside = try await fetch(
                    live.connection, .routeSpeed(route, from: second(start, from), to: second(start, to)))
                guard case .speed(nil)? = outside else { throw CaseFailure("a speed from \(from) to \(to) s") }
            }
        },
        ConformanceCase("R1", "another app reads routes only while it may, and is not told that there are any") {
            context in
            guard let route, let other = AppID("coach") else { return }
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            _ = try await record(live)
            try await live.appendAccepted([.of(.appRegistered(AppRegistered(name: "Coach", build: 1)), app: "coach")])
            let coach = try await context.open(device.sibling(scope: .app(other)))
            let nothing = AppItem(other, "none")
            for isAllowed in [false, true, false] {
                if isAllowed { try await live.appendAccepted([allow(.readRoutes, "coach")]) }
                let points = FetchQuestion.routePoints(route, from: nil, to: nil, limit: 5)
                // Another server may learn of the authorization a moment later.
                var answer = try await fetch(coach.connection, points)
                let clock = ContinuousClock()
                let end = clock.now.advanced(by: .seconds(context.patience))
                while (answer != nil) != isAllowed, clock.now < end {
                    try await Task.sleep(for: .milliseconds(20))
                    answer = try await fetch(coach.connection, points)
                }
                try expect(
                    (answer != nil) == isAllowed, "points although they may not be read, or none although they may")
                let row = try await fetch(coach.connection, .route(route))
                try expect((row != nil) == isAllowed, "the route's row is answered \(row as Any)")
                let list = try await fetch(coach.connection, .routes(after: nil))
                guard case .rows(let rows, false)? = list else {
                    throw CaseFailure("routes are answered \(list as Any)")
                }
                try expect(rows.count == (isAllowed ? 1 : 0), "\(rows.count) routes listed")
                try expect(try await fetch(coach.connection, .route(nothing)) == nil, "a route that does not exist")
                if isAllowed { try await live.appendAccepted([allow(.readRoutes, "coach", .denied)]) }
            }
        },
    ]

    private static var route: AppItem? { trails.map { AppItem($0, "morning") } }

    private static func second(_ start: Timestamp, _ number: Int) -> Timestamp {
        start.adding(microseconds: Int64(number) * 1_000_000)
    }

    private static func allow(
        _ kind: AuthorizationKind, _ app: String, _ status: AuthorizationStatus = .authorized
    ) -> Envelope {
        .of(.authorizationChanged(AuthorizationChanged(kind: kind, status: status)), app: app)
    }

    /// Records a finished route: 3 m/s to the north, with one point a second.
    /// - Returns: the time of the first point.
    private static func record(_ live: Live) async throws -> Timestamp {
        let start = Timestamp.now.adding(microseconds: -3_600_000_000)
        let points = (0..<count).map {
            RoutePoint(
                time: second(start, $0), latitude: 46 + Double($0) * 2.699e-5, longitude: 14, horizontalAccuracy: 5)
        }
        let workout = WorkoutSaved(
            workoutID: "w", activity: "running", start: start, end: second(start, count))
        let life: [EventBody] = [
            .routeStarted(RouteStarted(routeID: "morning", activity: "running", utcOffsetSeconds: 0)),
            .routeLocationsInserted(RouteLocationsInserted(routeID: "morning", points: points)),
            .workoutSaved(workout), .routeFinished(RouteFinished(routeID: "morning", workoutID: "w")),
        ]
        try await live.appendAccepted(
            [.of(.appRegistered(AppRegistered(name: "Trails", build: 1)), app: "trails")]
                + [.location, .shareRoutes, .shareWorkouts, .readRoutes, .readWorkouts].map { allow($0, "trails") })
        try await live.appendAccepted(life.map { .of($0, app: "trails") })
        return start
    }

    /// The answer to a question; nil: `not_found`.
    private static func fetch(_ connection: RawConnection, _ question: FetchQuestion) async throws -> FetchAnswer? {
        let id = UInt64.random(in: 1...(.max))
        try await connection.send(.fetch(FetchRequest(id: id, question)))
        return try await connection.first("Fetched") { message -> FetchAnswer?? in
            if case .fetched(let fetched) = message, fetched.request == id { return .some(fetched.answer) }
            guard case .error(let error) = message else { return nil }
            try expect(error.request == id && error.code == .notFound, "Error \(error.code.rawValue) to a Fetch")
            return .some(nil)
        }
    }
}
