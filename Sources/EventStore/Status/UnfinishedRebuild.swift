import FocusCore
import PostgresClient

/// A generation that is on its way to be shown: a rebuild fills it, or a rollback returns to it.
public struct UnfinishedRebuild: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable { case rebuild, rollback }

    /// Whether anybody works on it.
    public enum Standing: Hashable, Sendable {
        /// A process holds the right to rebuild.
        case working
        /// No process does; `focusctl projections rebuild --resume` continues it.
        case resumable
        /// No process does, and only a program of the same fold version can continue it.
        case otherFold
    }

    public var generation: Int32
    public var foldVersion: Int32
    public var kind: Kind
    /// Whether every user is folded once more and compared before the generation is shown.
    public var verifies: Bool
    public var startedAt: Timestamp
    public var partitions: Int64
    /// How many of the partitions have every row; some may still be verified and compared.
    public var filled: Int64
    /// How many of the partitions show the generation.
    public var cutOver: Int64
    /// Events that are folded into rows that are written.
    public var events: Int64
    /// Events to be folded; those that are appended later are followed before the cut-over. Zero for a rollback.
    public var eventsTotal: Int64
    public var standing: Standing
}

extension UnfinishedRebuild {
    /// The unfinished rebuild or rollback; nil when there is none.
    static func read(on connection: PostgresConnection) throws -> UnfinishedRebuild? {
        let result = try connection.query(Queries.readUnfinishedRebuild)
        return result.rowCount == 0 ? nil : try UnfinishedRebuild(result)
    }

    private init(_ result: PostgresResult) throws {
        let name = try result.text(row: 0, column: 2)
        guard let kind = Kind(rawValue: name) else { throw EventStoreError.corrupt("a rebuild of kind \(name)") }
        self.kind = kind
        generation = try result.int4(row: 0, column: 0)
        foldVersion = try result.int4(row: 0, column: 1)
        verifies = try result.bool(row: 0, column: 3)
        startedAt = Timestamp(microseconds: try result.timestamptz(row: 0, column: 4))
        partitions = try result.int8(row: 0, column: 5)
        filled = try result.int8(row: 0, column: 6)
        cutOver = try result.int8(row: 0, column: 7)
        events = try result.int8(row: 0, column: 8)
        eventsTotal = try result.int8(row: 0, column: 9)
        let isHeld = try result.bool(row: 0, column: 10)
        standing = isHeld ? .working : foldVersion == FocusCore.foldVersion ? .resumable : .otherFold
    }
}
