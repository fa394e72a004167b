import FocusCore

/// Asks the server for what the device's rows do not hold: the points of routes, and routes and workouts of other apps
/// (rules R1, R6). Each call needs a connection. An app reads another app's routes only while it is authorized to
/// `readRoutes`, and workouts only while it is authorized to `readWorkouts`; what it may not read looks to it as if it
/// did not exist.
extension AppRoutes {
    /// All accepted points of a route, in the order of time.
    /// - Parameters:
    ///   - app: the route's app; nil: `self.app`.
    ///   - times: only points in this interval; nil: all.
    /// - Throws: `SyncClientError.fetchFailed` with `not_found`; `noApp`.
    public func points(
        of id: String, app: AppID? = nil, between times: ClosedRange<Timestamp>? = nil
    ) async throws -> [RoutePoint] {
        var points: [RoutePoint] = []
        for try await page in pages(of: try item(id, app), between: times) { points += page }
        return points
    }

    /// The accepted points of a route in the order of time, in pages of at most `FetchLimits.pointsPerPage`. Each page
    /// is fetched when it is wanted, so a long route is never in memory as a whole.
    public func pages(of route: AppItem, between times: ClosedRange<Timestamp>? = nil) -> RoutePointPages {
        RoutePointPages(client: client, route: route, from: times?.lowerBound, to: times?.upperBound)
    }

    /// The speed from `start` to `end` in metres per second, pauses included (rule R6). Nil when any of the interval is
    /// outside the route.
    /// - Throws: `SyncClientError.fetchFailed` with `not_found`; `noApp`.
    public func speed(
        of id: String, app: AppID? = nil, from start: Timestamp, to end: Timestamp
    ) async throws -> Double? {
        let answer = try await client.fetch(.routeSpeed(try item(id, app), from: start, to: end))
        guard case .speed(let speed) = answer else { throw FetchAnswer.unexpected }
        return speed
    }

    /// The row of a route as the server has it now.
    /// - Throws: `SyncClientError.fetchFailed` with `not_found`; `noApp`.
    public func fetch(_ id: String, app: AppID? = nil) async throws -> RouteRow {
        let item = try item(id, app)
        guard case .rows(let rows, _) = try await client.fetch(.route(item)), let value = rows.first?.value else {
            throw FetchAnswer.unexpected
        }
        return try RouteRow(decoding: value)
    }

    /// Every route that this session may read: those of its app, and those of other apps that it is authorized to read;
    /// a system session reads all.
    public func fetchAll() async throws -> [AppItem: RouteRow] {
        try await rows { .routes(after: $0) }.compactMapValues { try? RouteRow(decoding: $0) }
    }

    /// Every workout that this session may read.
    public func fetchWorkouts() async throws -> [AppItem: WorkoutRow] {
        try await rows { .workouts(after: $0) }.compactMapValues { try? WorkoutRow(decoding: $0) }
    }

    private func item(_ id: String, _ other: AppID?) throws(SyncClientError) -> AppItem {
        guard let app = other ?? app else { throw .noApp }
        return AppItem(app, id)
    }

    private func rows(_ question: (AppItem?) -> FetchQuestion) async throws -> [AppItem: [UInt8]] {
        var rows: [AppItem: [UInt8]] = [:]
        var last: AppItem?
        while true {
            guard case .rows(let page, let more) = try await client.fetch(question(last)) else {
                throw FetchAnswer.unexpected
            }
            let before = last
            for row in page {
                guard let app = row.key.app, let value = row.value else { continue }
                last = AppItem(app, row.key.key)
                rows[AppItem(app, row.key.key)] = value
            }
            // A page that leads nowhere would be asked for again without end.
            guard more, last != before else { return rows }
        }
    }
}

/// The points of a route, page by page, in the order of time.
public struct RoutePointPages: AsyncSequence, Sendable {
    let client: SyncClient
    let route: AppItem
    let from: Timestamp?
    let to: Timestamp?

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self, from: from) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let pages: RoutePointPages
        var from: Timestamp?
        var isLast = false

        /// - Throws: `SyncClientError`.
        public mutating func next() async throws -> [RoutePoint]? {
            guard !isLast else { return nil }
            let answer = try await pages.client.fetch(.routePoints(pages.route, from: from, to: pages.to, limit: 0))
            guard case .points(let points, let next) = answer else { throw FetchAnswer.unexpected }
            // A page whose next one begins no later than it ends would be fetched without end.
            isLast = next.map { $0 <= (points.last?.time ?? $0) } ?? true
            from = next
            return points
        }
    }
}

extension FetchAnswer {
    /// The server answered another question than it was asked.
    static var unexpected: SyncClientError {
        .fetchFailed(ProtocolError(.malformedFrame, "The answer is to another question."))
    }
}
