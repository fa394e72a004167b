/// Rule R1: routes and workouts of another app are read by Fetch only, and only by an app that may read them.
extension UserState {
    /// What a session in `scope` is told. Costs the size of the answer, or a pass over the ids of the apps that it may
    /// read; never the size of a route.
    /// - Parameter isSilent: whether the session's versions are those of its app's stream (rule Z1). Rows of other apps
    ///   then have version 0, because theirs would count what those apps do.
    public func fetch(_ question: FetchQuestion, scope: Scope, isSilent: Bool = false) -> FetchOutcome {
        let silentApp = isSilent ? scope.app : nil
        switch fetch(question, scope) {
        case .answer(.rows(let rows, let more)) where silentApp != nil:
            return .answer(.rows(rows.map { silenced($0, for: silentApp) }, more: more))
        case let outcome: return outcome
        }
    }

    private func silenced(_ row: DeltaRow, for app: AppID?) -> DeltaRow {
        var row = row
        row.version = row.key.app == app ? shared.store[row.key]?.place ?? .zero : .zero
        return row
    }

    private func fetch(_ question: FetchQuestion, _ scope: Scope) -> FetchOutcome {
        switch question {
        case .routePoints(let route, let from, let to, let limit):
            points(route, scope) { .points(in: $0, from: from, to: to, limit: limit) }
        case .routeSpeed(let route, let from, let to):
            points(route, scope) { .speed($0.speed(from: from, to: to)) }
        case .route(let route): row(route, scope)
        case .routes(let after):
            rows(.routes, after: after, scope) { record, last, limit in
                let shown = record.routes.lazy.filter { self.shows($0.value, of: record.app, scope) }.map(\.key)
                return Self.first(limit, of: shown, after: last)
            }
        case .workouts(let after):
            rows(.workouts, after: after, scope) { record, last, limit in
                Self.first(limit, of: record.workouts.keys, after: last)
            }
        // It is asked of the other user's state.
        case .reach: .notFound
        case .unknown: .unknown
        }
    }

    /// Whether a session may read what another app, or its own, has of this kind. Whether the other app has anything
    /// does not matter.
    private func mayRead(_ kind: AuthorizationKind, of app: AppID, _ scope: Scope) -> Bool {
        switch scope {
        case .system: true
        case .app(let own): own == app || record(of: own)?.status(kind) == .authorized
        }
    }

    /// Whether a session may see a route of the app, as far as that depends on the route: another app's is read once it
    /// is finished, and is not there before.
    private func shows(_ route: RouteRecord, of app: AppID, _ scope: Scope) -> Bool {
        switch scope {
        case .system: true
        case .app(let own): own == app || route.row.state == .finished
        }
    }

    private func points(
        _ route: AppItem, _ scope: Scope, _ answer: (RouteTrack) -> FetchAnswer
    ) -> FetchOutcome {
        guard mayRead(.readRoutes, of: route.app, scope),
            let record = record(of: route.app)?.routes[ByteText(route.id)], shows(record, of: route.app, scope)
        else { return .notFound }
        if let track = record.track { return .answer(answer(track)) }
        return .sealed(record.sealedChunks.isEmpty ? .inTable : .inState(record.sealedChunks))
    }

    private func row(_ route: AppItem, _ scope: Scope) -> FetchOutcome {
        let key = RowKey(.routes, app: route.app, key: route.id)
        guard mayRead(.readRoutes, of: route.app, scope),
            let record = record(of: route.app)?.routes[ByteText(route.id)], shows(record, of: route.app, scope),
            let row = deltaRow(key)
        else { return .notFound }
        return .answer(.rows([row], more: false))
    }

    private func deltaRow(_ key: RowKey) -> DeltaRow? {
        guard let entry = shared.store[key], !entry.isDeleted else { return nil }
        return DeltaRow(key: key, version: entry.version, value: entry.value)
    }

    /// - Parameter ids: gives the first ids of an app after one, in their order, at most as many as the last argument.
    private func rows(
        _ collection: RowCollection, after: AppItem?, _ scope: Scope, _ ids: (AppRecord, ByteText?, Int) -> [ByteText]
    ) -> FetchOutcome {
        let kind: AuthorizationKind = collection == .routes ? .readRoutes : .readWorkouts
        let readable = apps.indices.filter { mayRead(kind, of: apps[$0].app, scope) }
            .sorted { apps[$0].app < apps[$1].app }
        var rows: [DeltaRow] = []
        var bytes = 0
        for slot in readable {
            let app = apps[slot].app
            if let after, app < after.app { continue }
            let last = after?.app == app ? after.map { ByteText($0.id) } : nil
            // One more than fits tells whether there are more.
            for id in ids(apps[slot], last, FetchLimits.rowsPerPage + 1 - rows.count) {
                guard let row = deltaRow(RowKey(collection, app: app, key: id.text)) else { continue }
                guard rows.count < FetchLimits.rowsPerPage, bytes < FetchLimits.pageBytes else {
                    return .answer(.rows(rows, more: true))
                }
                bytes += row.value?.count ?? 0
                rows.append(row)
            }
        }
        return .answer(.rows(rows, more: false))
    }

    /// The `limit` smallest ids after `last`, sorted. Sorting all of them would cost more than the page, for each page.
    private static func first(_ limit: Int, of ids: some Sequence<ByteText>, after last: ByteText?) -> [ByteText] {
        var first: [ByteText] = []
        for id in ids {
            if let last, id <= last { continue }
            if first.count == limit {
                guard id < first[limit - 1] else { continue }
                first.removeLast()
            }
            var (low, high) = (0, first.count)
            while low < high {
                let middle = (low + high) / 2
                if first[middle] < id { low = middle + 1 } else { high = middle }
            }
            first.insert(id, at: low)
        }
        return first
    }
}

extension FetchAnswer {
    /// A page of the points of a track that is in memory.
    static func points(in track: RouteTrack, from: Timestamp?, to: Timestamp?, limit: Int) -> FetchAnswer {
        var page = RoutePointPage(from: from, to: to, limit: limit)
        track.read(from: from) { page.add($0) }
        return page.answer
    }
}
