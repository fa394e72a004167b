import FocusCore
import PostgresClient

/// A backup that was made and checked, as the log remembers it.
public struct BackupRecord: Hashable, Sendable {
    /// What made it.
    public var tool: String
    public var beganAt: Timestamp
    public var finishedAt: Timestamp
    /// How many events of the log it holds at least; nil: not known.
    public var events: Int64?

    /// The backup that was finished last; nil when none was recorded.
    public static func last(on connection: PostgresConnection) throws -> BackupRecord? {
        let result = try connection.query(Queries.readLastBackup)
        guard result.rowCount > 0 else { return nil }
        return BackupRecord(
            tool: try result.text(row: 0, column: 0),
            beganAt: Timestamp(microseconds: try result.timestamptz(row: 0, column: 1)),
            finishedAt: Timestamp(microseconds: try result.timestamptz(row: 0, column: 2)),
            events: result.isNull(row: 0, column: 3) ? nil : try result.int8(row: 0, column: 3))
    }

    /// Records a backup that ends now. The connection's role must own the log.
    /// - Parameters:
    ///   - tool: what made it, at most 64 bytes.
    ///   - microseconds: how long it took.
    ///   - events: how many events it holds at least.
    public static func record(
        tool: String, microseconds: Int64, events: Int64, on connection: PostgresConnection
    ) throws(PostgresError) {
        _ = try connection.query(Queries.recordBackup, [.text(tool), .int8(microseconds), .int8(events)])
    }
}
