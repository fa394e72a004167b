import FocusCore
import Foundation
import PostgresClient
import Waits

/// Builds the read model anew beside the one that is shown, and shows it. Devices go on appending
/// and syncing.
///
/// Flow: next generation's tables → each partition is filled from the log, verified, compared → each partition is cut
/// over. Each transaction also writes how far the work has come, so that `resume` goes on from there whatever crashed.
///
/// It blocks the calling thread; workers have threads of their own. Each worker holds a user's state and a batch of
/// rows in memory.
public final class Rebuilder: Sendable {
    let owner: PostgresConfiguration
    let options: RebuildOptions
    let report: @Sendable (RebuildProgress) -> Void
    private let refused: @Sendable () -> Void

    /// - Parameters:
    ///   - owner: connects as the owner of the tables, who may act as the server's role.
    ///   - report: called now and then, on any thread, one call at a time.
    ///   - refused: hears now and then that a query of others uses views of the read model, which cannot change
    ///     meanwhile. It is waited for, and keeps nobody else waiting.
    public init(
        _ owner: PostgresConfiguration, options: RebuildOptions = RebuildOptions(),
        report: @escaping @Sendable (RebuildProgress) -> Void = { _ in },
        refused: @escaping @Sendable () -> Void = {}
    ) {
        self.owner = owner
        self.options = options
        self.report = report
        self.refused = refused
    }

    /// Builds a new generation from the log and shows it. Throws `RebuildError`, `EventStoreError`, `PostgresError`.
    public func rebuild() throws -> RebuildReport {
        try exclusively { connection, log in
            try Self.requireFormat(log)
            try Self.checkHistory(on: connection)
            let known = try KnownGeneration.all(on: connection)
            if let unfinished = known.first(where: \.isUnfinished) {
                throw RebuildError.unfinished(generation: unfinished.generation.number)
            }
            let number = try connection.query(Queries.nextGeneration).int4(row: 0, column: 0)
            // One transaction: after a crash there is a rebuild to resume, or nothing.
            try connection.lockingBriefly(refused: refused) { connection in
                _ = try connection.query(Queries.createGeneration, [.int4(number), .int4(options.rules.version)])
                _ = try connection.query(
                    Queries.beginRebuild,
                    [.int4(number), .text("rebuild"), .bool(options.verifies), .bool(options.keepsOld)])
                _ = try connection.query(
                    Queries.beginRebuildPartitions, [.int4(number), .text(RebuildPlace.Phase.filling.rawValue)])
            }
            return try run(
                Generation(number), verifies: options.verifies, keepsOld: options.keepsOld, log, on: connection)
        }
    }

    /// Resumes an interrupted rebuild or rollback. It verifies if it was begun with that option. It keeps the old
    /// generations if it was begun with that option, or if `keepsOld` is set now.
    public func resume() throws -> RebuildReport {
        try exclusively { connection, log in
            guard let unfinished = try KnownGeneration.all(on: connection).first(where: \.isUnfinished) else {
                throw RebuildError.nothingToResume
            }
            try requireOwnFold(unfinished)
            if unfinished.kind == .rebuild {
                try Self.requireFormat(log)
                try Self.checkHistory(on: connection)
            }
            // The option is stored, because this process may be killed as well.
            if options.keepsOld, !unfinished.keepsOld {
                _ = try connection.query(Queries.keepOld, [.int4(unfinished.generation.number)])
            }
            return try run(
                unfinished.generation, verifies: unfinished.verifies, keepsOld: unfinished.keepsOld || options.keepsOld,
                log, on: connection)
        }
    }

    /// Shows the newest of the kept generations again, after it was brought to the end of the log.
    public func rollBack() throws -> RebuildReport {
        try exclusively { connection, log in
            let known = try KnownGeneration.all(on: connection)
            if let unfinished = known.first(where: \.isUnfinished) {
                throw RebuildError.unfinished(generation: unfinished.generation.number)
            }
            guard let kept = known.last(where: { $0.partitions == 0 }) else { throw RebuildError.nothingToRollBackTo }
            try requireOwnFold(kept)
            let number = PostgresValue.int4(kept.generation.number)
            try connection.transaction { connection in
                _ = try connection.query(Queries.beginRebuild, [number, .text("rollback"), .bool(false), .bool(true)])
                _ = try connection.query(
                    Queries.beginRebuildPartitions, [number, .text(RebuildPlace.Phase.comparing.rawValue)])
            }
            return try run(kept.generation, verifies: false, keepsOld: true, log, on: connection)
        }
    }

    /// Drops every generation that no partition shows, including one that an interrupted rebuild has left. Throws
    /// `RebuildError.unfinished` when some partition shows the generation of an interrupted rebuild.
    /// - Returns: the numbers of the dropped generations.
    public func dropOld() throws -> [Int32] {
        try exclusively { connection, _ in
            let known = try KnownGeneration.all(on: connection)
            if let unfinished = known.first(where: { $0.isUnfinished && $0.partitions > 0 }) {
                throw RebuildError.unfinished(generation: unfinished.generation.number)
            }
            let old = known.filter { $0.partitions == 0 }.map(\.generation.number)
            for number in old {
                _ = try connection.lockingBriefly(refused: refused) {
                    try $0.query(Queries.dropGeneration, [.int4(number)])
                }
            }
            return old
        }
    }

    private func requireOwnFold(_ known: KnownGeneration) throws {
        guard known.foldVersion == options.rules.version else {
            throw RebuildError.otherFold(generation: known.generation.number, fold: known.foldVersion)
        }
    }

    /// Servers of a log of an earlier format cannot read what this fold makes.
    private static func requireFormat(_ log: LogIdentity) throws {
        guard log.format >= EventStore.foldFormat else { throw RebuildError.earlierFormat(log.format) }
    }

    /// Checks that the log is whole. A rebuild from a part of it would silently lose the rest.
    private static func checkHistory(on connection: PostgresConnection) throws {
        let archived = try connection.query(Queries.readFirstOffsets)
        guard archived.rowCount == 0 else {
            throw RebuildError.historyArchived(
                Partition(try archived.int4(row: 0, column: 0)), first: LogOffset(try archived.int8(row: 0, column: 1)))
        }
    }

    /// Holds the lock of rebuilds while `body` runs. After a process was killed, PostgreSQL may keep its lock for a
    /// moment.
    private func exclusively<T>(_ body: (PostgresConnection, LogIdentity) throws -> T) throws -> T {
        let connection = try PostgresConnection(owner)
        defer { connection.close() }
        var tries = 0
        while try !connection.query(Queries.lockRebuild).bool(row: 0, column: 0) {
            tries += 1
            guard tries < 30 else { throw RebuildError.busy }
            Deadline.after(seconds: 0.1).sleep()
        }
        // It is unlocked explicitly: the next process would otherwise wait until the server has noticed that this
        // session is closed.
        defer { _ = try? connection.query(Queries.unlockRebuild) }
        return try body(connection, try LogIdentity.read(on: connection))
    }
}
