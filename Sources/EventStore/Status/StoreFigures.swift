import FocusCore
import PostgresClient

/// What the database says of the log and the read model: sizes, the rebuild under way, the last backup. It takes some
/// milliseconds to find out, and changes slowly.
public struct StoreFigures: Hashable, Sendable {
    public var status: ProjectionStatus
    /// Bytes on disk of the log's events, with their indexes.
    public var logBytes: Int64
    /// Bytes on disk of the whole database.
    public var databaseBytes: Int64
    /// When PostgreSQL started.
    public var startedAt: Timestamp
    public var lastBackup: BackupRecord?
    /// Settings that are off, and by which acknowledged events may be lost.
    public var risks: [DurabilityRisk]
}

extension StoreConnection {
    /// Waits until the database answers. Throws `PostgresError`, `StoreStopped`.
    public func figures(of log: LogIdentity) throws -> StoreFigures {
        try performOnPostgres { connection in
            let sizes = try connection.query(Queries.readStoreSizes)
            return StoreFigures(
                status: try StatusReader().read(log, counting: false, on: connection),
                logBytes: try sizes.int8(row: 0, column: 0), databaseBytes: try sizes.int8(row: 0, column: 1),
                startedAt: Timestamp(microseconds: try sizes.timestamptz(row: 0, column: 2)),
                lastBackup: try BackupRecord.last(on: connection),
                risks: try DurabilityRisk.read(on: connection))
        }
    }
}
