import FocusCore
import PostgresClient

/// Wakes other servers after a commit. It is only a hint: a server that hears it looks at the heads, and polls them
/// too.
///
/// It is sent on a connection of its own with `synchronous_commit = off`: inside the append's transaction a NOTIFY
/// would hold a database-wide lock through the flush of the log.
public enum LogNotification {
    /// How many partitions a payload names at most, as PostgreSQL allows 8,000 bytes. An empty payload stands for more:
    /// it means any partition.
    private static let namedPartitions = 256

    /// Makes a connection fit for `send`: to be called once, after it was made.
    public static func prepareSending(on connection: PostgresConnection) throws(PostgresError) {
        _ = try connection.query(Queries.setAsynchronousCommit)
    }

    /// Tells that something was appended to these partitions.
    public static func send(_ partitions: Set<Partition>, on connection: PostgresConnection) throws(PostgresError) {
        let named = partitions.count <= namedPartitions ? partitions.sorted() : []
        _ = try connection.query(Queries.notifyLog, [.text(named.map(\.description).joined(separator: ","))])
    }

    /// From now on `PostgresConnection.waitForNotifications` hears of appends. The connection must be direct, not
    /// through a pooler.
    public static func listen(on connection: PostgresConnection) throws(PostgresError) {
        try connection.execute(Queries.listenLog.sql)
    }
}
