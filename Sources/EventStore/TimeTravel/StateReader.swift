import FocusCore
import PostgresClient

/// A user's state at any version of the past, from the log and, where there is one, the nearest cached state before it.
public struct StateReader: Sendable {
    private let cache: StateCache?
    private let warn: @Sendable (any Error) -> Void

    /// - Parameter warn: gets each error that keeps a state from being cached; the answer is right all the same.
    public init(cache: StateCache? = nil, warn: @escaping @Sendable (any Error) -> Void = { _ in }) {
        self.cache = cache
        self.warn = warn
    }

    /// The last version of the user's stream; zero when the log has none of the user.
    public func head(
        of user: UserID, in partition: Partition, on connection: PostgresConnection
    ) throws(PostgresError) -> Version {
        let result = try connection.query(
            Queries.readUserHead, [.int4(partition.rawValue), .uuid(user.uuid)])
        return result.rowCount == 0 ? .zero : Version(try result.int8(row: 0, column: 0))
    }

    /// The state at `version`, which must not be past `head`.
    ///
    /// Throws `PostgresError`; `EventStoreError` or `PayloadError` when an event cannot be read; `FoldError`.
    public func state(
        of user: UserID, in partition: Partition, at version: Version, head: Version, on connection: PostgresConnection
    ) throws -> UserState {
        var state = try nearest(user, partition, version, on: connection) ?? UserState(user: user)
        guard state.version < version else { return state }
        let spacing = cache?.spacing(head: head)
        let keeper = try cache.map { try StateKeeper($0, of: user, head: head, warn: warn) }
        defer { keeper?.finish() }
        try forEachMissing(user, partition, after: state.version, through: version, on: connection) { _, event in
            try state.applyQuietly(event)
            if let keeper, let spacing, state.version.rawValue % spacing == 0 { keeper.keep(state) }
        }
        return state
    }

    /// A cached state counts only if its last event is the one that the log has there: a log that was restored from a
    /// backup may hold another history (rule S6).
    private func nearest(
        _ user: UserID, _ partition: Partition, _ version: Version, on connection: PostgresConnection
    ) throws -> UserState? {
        guard let cache else { return nil }
        for candidate in cache.versions(of: user, upTo: version) {
            guard let state = cache.state(of: user, at: candidate) else { continue }
            let event = try LogReader().event(of: user, partition: partition, at: candidate, on: connection)
            if event == state.lastEvent { return state }
            cache.remove(user, candidate)
        }
        return nil
    }

    /// Folds on through `version`, or as far as the log goes.
    /// - Parameter each: sees each event, the keys of the rows it changed, and the state after it.
    public func fold(
        _ state: inout UserState, in partition: Partition, through version: Version,
        on connection: PostgresConnection,
        each: (LoggedEvent, [RowKey], borrowing UserState) throws -> Void = { _, _, _ in }
    ) throws {
        let user = state.user
        try forEachMissing(user, partition, after: state.version, through: version, on: connection) { logged, event in
            let keys = try state.apply(event)
            try each(logged, keys, state)
        }
    }

    private func forEachMissing(
        _ user: UserID, _ partition: Partition, after version: Version, through last: Version,
        on connection: PostgresConnection, _ body: (LoggedEvent, Event) throws -> Void
    ) throws {
        try LogReader().forEachDecoded(
            of: user, partition: partition, after: version, through: last, on: connection
        ) { logged, event in
            try body(logged, event)
            return true
        }
    }
}
