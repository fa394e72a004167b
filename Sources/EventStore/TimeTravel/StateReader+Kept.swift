import FocusCore
import NIOConcurrencyHelpers
import PostgresClient

/// A state that was folded on from a kept one, and what has changed since.
struct FoldedState {
    var state: UserState
    /// The event that the kept one ended with.
    var start: KeptMark
    var changes: [RowChanges]

    /// - Parameter kept: it is not folded on yet.
    init(_ kept: KeptState) { (state, start, changes) = (kept.state, kept.mark, []) }
}

/// What is kept of the way between two versions.
extension StateReader {
    /// The kept versions past `from` and up to `to` of which it is known what changed since the one before, in
    /// ascending order; the first of them may begin before `from`. Nil when between `from` and the last kept version up
    /// to `to` something is not known, or nothing is kept there.
    func keptVersions(_ user: UserID, past from: Version, upTo to: Version) -> [Version]? {
        guard let cache, let last = cache.versions(of: user, upTo: to).first else { return nil }
        var (end, mark): (Version, KeptMark?) = (last, nil)
        var versions: [Version] = []
        // Each must begin with the event at which the one before ends: then all are of one history.
        while end > from {
            guard let kept = cache.changes(of: user, upTo: end, withRows: false), mark == nil || kept.end == mark
            else { return nil }
            versions.append(end)
            (end, mark) = (kept.changes.start, kept.start)
        }
        return versions.isEmpty ? nil : versions.reversed()
    }

    /// Whether a kept version is so near before `version` that what changed between them takes little memory. Others
    /// were evicted between them otherwise.
    func isNear(_ kept: Version, _ version: Version, head: Version) -> Bool {
        guard let cache else { return false }
        return version.rawValue - kept.rawValue <= 2 * cache.spacing(head: head)
    }

    /// What changed up to a kept version, since the one that was kept before; nil when it was evicted or damaged.
    func changes(of user: UserID, upTo version: Version) -> KeptChanges? {
        cache?.changes(of: user, upTo: version, withRows: true)
    }

    /// Begins to fold a kept state on through `to`, on a thread of its own.
    ///
    /// Call the closure that it returns once, in any case: it waits for the state. It gives nil when the kept state is
    /// damaged, or not of the history that the log has, and throws what `state` throws.
    /// - Parameter beside: a connection for the thread. Nil: it only reads the kept state, and the closure folds it on
    ///   over the connection that it gets.
    func beginFolding(
        _ user: UserID, in partition: Partition, from version: Version, through to: Version, head: Version,
        beside: PostgresConnection?
    ) throws(PostgresError) -> (PostgresConnection) throws -> FoldedState? {
        // Nil where nothing usable is kept.
        let result = NIOLockedValueBox<Result<Folding?, any Error>>(.success(nil))
        // unsafe: only the thread uses it until it is joined.
        nonisolated(unsafe) let beside = beside
        let thread = try PostgresThread(name: "kept state") { [self] in
            let made = Result { () -> Folding? in
                guard let kept = cache?.state(of: user, at: version) else { return nil }
                guard let beside else { return .kept(kept) }
                return try fold(kept, in: partition, through: to, head: head, on: beside).map { .folded($0) }
            }
            result.withLockedValue { $0 = made }
        }
        return { connection in
            thread.join()
            let made = try result.withLockedValue({ $0 }).get()
            result.withLockedValue { $0 = .success(nil) }
            switch made {
            case .folded(let state): return state
            case .kept(let kept): return try fold(kept, in: partition, through: to, head: head, on: connection)
            case nil: return nil
            }
        }
    }

    /// How far the thread of `beginFolding` came.
    private enum Folding: Sendable {
        case kept(KeptState)
        case folded(FoldedState)
    }

    /// Folds a kept state on; nil when it is not of the history that the log has.
    private func fold(
        _ kept: KeptState, in partition: Partition, through to: Version, head: Version,
        on connection: PostgresConnection
    ) throws -> FoldedState? {
        guard try isOfLog(kept, partition, on: connection) else { return nil }
        var (folded, kept) = (FoldedState(kept), kept)
        kept.beginChanges()
        var changes: [RowChanges] = []
        try fold(&kept, in: partition, through: to, head: head, on: connection) { changes.append($0) }
        (folded.state, folded.changes) = (kept.state, changes)
        return folded
    }
}
