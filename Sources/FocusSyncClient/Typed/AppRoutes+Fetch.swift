import FocusCore

/// What a route's row does not hold, and routes and workouts of other apps: asked of the server, each time (rules R1,
/// R6). Needs a connection. An app reads another app's routes only while it is authorized to `readRoutes`, its workouts
/// while to `readWorkouts`; what it may not read it cannot tell from what there is not.
extension AppRoutes {
    /// All accepted points of a route, in the order of time.
    /// - Parameters:
    ///   - app: whose route it is; nil: this one's.
    ///   - times: only points in it.
    /// - Throws: `SyncClientError.fetchFailed` with `not_found`.
    public func points(
        of id: String, app: AppID? = nil, between times: ClosedRange<Timestamp>? = nil
    ) async throws -> [RoutePoint] {
        var points: [RoutePoint] = []
        for try await page in pages(of: try item(id, app), between: times) { points += page }
        return points
    }

    /// The same in pages of at most `FetchLimits.pointsPerPage`, each asked for when it is wanted: a long route is
    /// never in memory as a whole.
    public func pages(of route: AppItem, between times: ClosedRange<Timestamp>? = nil) -> RoutePointPages {
        RoutePointPages(client: client, route: route, from: times?.lowerBound, to: times?.upperBound)
    }

    /// Metres per second from `start` to `end`, pauses included (rule R6). Nil when any of it is outside the route.
    /// - Throws: `SyncClientError.fetchFailed` with `not_found`.
    public func speed(
        of id: String, app: AppID? = nil, from start: Timestamp, to end: Timestamp
    ) async throws -> Double? {
        let answer = try await client.fetch(.routeSpeed(try item(id, app), from: start, to: end))
        guard case .speed(let speed) = answer else { throw FetchAnswer.unexpected }
        return speed
    }

    /// The row of a route as the server has it now.
    /// - Throws: `SyncClientError.fetchFailed` with `not_found`.
    public func fetch(_ id: String, app: AppID? = nil) async throws -> RouteRow {
        let item = try item(id, app)
        guard case .rows(let rows, _) = try await client.fetch(.route(item)), let value = rows.first?.value else {
            throw FetchAnswer.unexpected
        }
        return try RouteRow(decoding: value)
    }

    /// Every route that this session may read: its app's, other apps' that it is authorized for; a system session all.
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
            for row in page {
                guard let app = row.key.app, let value = row.value else { continue }
                last = AppItem(app, row.key.key)
                rows[AppItem(app, row.key.key)] = value
            }
            guard more, !page.isEmpty else { return rows }
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
            // A page that does not lead on would be asked for without end.
            isLast = next.map { $0 <= (points.last?.time ?? $0) } ?? true
            from = next
            return points
        }
    }
}

extension FetchAnswer {
    /// Of a server that answers another question than was asked.
    static var unexpected: SyncClientError {
        .fetchFailed(ProtocolError(.malformedFrame, "The answer is to another question."))
    }
}
