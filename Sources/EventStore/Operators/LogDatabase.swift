import FocusCore
import Foundation
import PostgresClient

/// What a person wants to know of the database that a log is in.
public struct LogDatabase: Hashable, Sendable {
    public var name: String
    /// The role that asked: the owner's, or another.
    public var role: String
    /// The role that servers act as.
    public var serverRole: String
    /// The role that reads the log and the read model, and may change nothing; nil: there is none.
    public var readerRole: String?
    /// Whether that role may log in itself. Where it may not, others are its members.
    public var readerLogsIn: Bool
    /// PostgreSQL's version.
    public var version: String
    public var bytes: Int64
    /// The server's address, or the directories of its sockets.
    public var host: String
    public var port: Int32
    public var log: UUID
    public var partitions: Int32
    public var format: Int32

    /// Throws `EventStoreError.noLog`; `PostgresError`.
    public static func read(on connection: PostgresConnection) throws -> LogDatabase {
        // Says what is missing where there is no log.
        _ = try LogIdentity.read(on: connection)
        let row = try connection.query(Queries.describeLogDatabase)
        return LogDatabase(
            name: try row.text(row: 0, column: 0), role: try row.text(row: 0, column: 1),
            serverRole: try row.text(row: 0, column: 2),
            readerRole: row.isNull(row: 0, column: 3) ? nil : try row.text(row: 0, column: 3),
            readerLogsIn: try row.bool(row: 0, column: 4), version: try row.text(row: 0, column: 5),
            bytes: try row.int8(row: 0, column: 6), host: try row.text(row: 0, column: 7),
            port: try row.int4(row: 0, column: 8), log: try row.uuid(row: 0, column: 9),
            partitions: try row.int4(row: 0, column: 10), format: try row.int4(row: 0, column: 11))
    }

    /// Lets the role that reads log in itself: for a server that is reached over a private socket alone.
    public static func letReaderLogIn(on connection: PostgresConnection) throws(PostgresError) {
        _ = try connection.query(Queries.letReaderLogIn)
    }
}
