import FocusCore
import PostgresClient

/// A route with its points, as of one moment.
public struct LoadedRoute: Sendable {
    public var row: RouteRow
    public var track: RouteTrack
}

/// Loads one route with its points. The points of a finished route are not in its user's state, so they are read too.
public struct RouteLoader: Sendable {
    public init() {}

    /// The route is current, however far the read model lags. Nil when the app has no such route.
    ///
    /// Throws `PostgresError`, what `UserLoader` finds wrong with the user, and `EventStoreError.corrupt` when the
    /// points are not those that the route's row counts.
    public func load(
        _ routeID: String, of app: AppID, user: UserID, in partition: Partition, on connection: PostgresConnection
    ) throws -> LoadedRoute? {
        guard let loaded = try UserLoader().load([(partition, user)], on: connection)[user]?.get(),
            let stored = loaded.state.row(RowKey(.routes, app: app, key: routeID)), !stored.isDeleted
        else { return nil }
        let row = try RouteRow(decoding: stored.value)
        var chunks = loaded.state.routeChunks(of: routeID, in: app)
        if chunks.isEmpty {
            // The route was finished before the read model's version, so it changes no more: a second statement sees
            // the same.
            let statement = Generation(loaded.head.generation).statement(Queries.readRoutePoints)
            chunks = try RouteChunkRows.chunks(
                try connection.query(
                    statement,
                    [
                        .int4(partition.rawValue), .uuid(user.uuid), .text(app.rawValue),
                        .text(StoredKey(routeID).text),
                    ]))
        }
        do {
            return LoadedRoute(row: row, track: try RouteTrack(chunks: chunks, counts: row.aggregates.counts))
        } catch {
            throw EventStoreError.corrupt("the points of a route are not those that its row counts: \(error)")
        }
    }
}
