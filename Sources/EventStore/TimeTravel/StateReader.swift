import FocusCore
import PostgresClient

/// A user's state at any version of the past, from the log and, where there is one, the nearest cached state before it.
public struct StateReader: Sendable {
    let cache: StateCache?
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
        var kept = try begin(user, in: partition, at: version, on: connection)
        try fold(&kept, in: partition, through: version, head: head, on: connection)
        kept.state.endChanges()
        return kept.state
    }

    /// The state from which one at `version` is folded: the nearest that is kept, or that of a user without events. It
    /// records changes.
    func begin(
        _ user: UserID, in partition: Partition, at version: Version, on connection: PostgresConnection
    ) throws -> KeptState {
        var kept = try nearest(user, partition, version, on: connection) ?? KeptState(of: user)
        kept.beginChanges()
        return kept
    }

    /// How many changes a state records before they are handed over, or forgotten: a bound for their memory.
    private static let changeLimit = 1 << 20

    /// Folds on through `version`, and keeps states on the way with what changed between them (`StateCache.keeps`).
    /// - Parameter changed: gets what the state has recorded whenever that begins anew, and at the end.
    func fold(
        _ kept: inout KeptState, in partition: Partition, through version: Version, head: Version,
        on connection: PostgresConnection, changed: ((RowChanges) throws -> Void)? = nil
    ) throws {
        let user = kept.state.user
        let spacing = cache?.spacing(head: head)
        let cache = kept.state.version < version ? cache : nil
        let keeper = try cache.map { try StateKeeper($0, of: user, head: head, warn: warn) }
        defer { keeper?.finish() }
        try LogReader().forEachDecoded(
            of: user, partition: partition, after: kept.state.version, through: version, on: connection
        ) { (event: Event) in
            try kept.state.applyQuietly(event)
            kept.recordedAt = event.recordedAt
            let isKept = spacing.map { StateCache.keeps(event.version, onTheWayTo: version, spacing: $0) } ?? false
            guard isKept || kept.state.changeCount ?? 0 >= Self.changeLimit else { return true }
            if isKept { keeper?.keep(kept) }
            if let changed, let changes = kept.state.changes { try changed(changes) }
            kept.beginChanges()
            return true
        }
        if let changed, let changes = kept.state.changes { try changed(changes) }
    }

    /// A cached state counts only if its last event is the one that the log has there: a log that was restored from a
    /// backup may hold another history (rule S6).
    private func nearest(
        _ user: UserID, _ partition: Partition, _ version: Version, on connection: PostgresConnection
    ) throws -> KeptState? {
        guard let cache else { return nil }
        for candidate in cache.versions(of: user, upTo: version) {
            guard let kept = cache.state(of: user, at: candidate) else { continue }
            if try isOfLog(kept, partition, on: connection) { return kept }
            cache.remove(user, candidate)
        }
        return nil
    }

    /// Whether the log has the event that the state ends with, where the state has it.
    func isOfLog(_ kept: KeptState, _ partition: Partition, on connection: PostgresConnection) throws -> Bool {
        let (user, version) = (kept.state.user, kept.state.version)
        let logged = try LogReader().recorded(of: user, partition: partition, at: version, on: connection)
        return logged.map { KeptMark(event: $0.event, recordedAt: $0.at) } == kept.mark
    }

    /// Folds on through `version`, or as far as the log goes.
    /// - Parameter each: sees each event, the keys of the rows it changed, and the state after it.
    public func fold(
        _ state: inout UserState, in partition: Partition, through version: Version,
        on connection: PostgresConnection,
        each: (LoggedEvent, [RowKey], borrowing UserState) throws -> Void = { _, _, _ in }
    ) throws {
        try LogReader().forEachDecoded(
            of: state.user, partition: partition, after: state.version, through: version, on: connection
        ) { (logged: LoggedEvent, event: Event) in
            let keys = try state.apply(event)
            try each(logged, keys, state)
            return true
        }
    }
}
