import EventStore
import FocusCore
import Foundation
import PostgresClient
import SeededNumbers
import Support

/// A migrated database for one test.
struct StoreFixture {
    static let partitions: Int32 = 4

    /// Connects as the superuser that owns the tables.
    let conninfo: String

    init() throws {
        conninfo = try TestCluster.shared.makeDatabase(from: "store") { conninfo in
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            try Migrator.migrate(on: connection, partitions: Self.partitions)
        }
        // The server's role is named for its database, so the copy needs one of its own.
        let owner = try self.owner()
        defer { owner.close() }
        try Migrator.migrate(on: owner)
    }

    var configuration: StoreConfiguration { StoreConfiguration(PostgresConfiguration(conninfo: conninfo)) }

    func owner() throws -> PostgresConnection {
        try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
    }

    /// A connection with the server's role, which may append and read.
    func connection() throws -> PostgresConnection {
        let connection = try owner()
        try SessionRole.assume(on: connection)
        return connection
    }
}

extension PostgresConnection {
    /// The single integer that a query returns.
    func integer(_ sql: String) throws -> Int64 {
        try query(Statement(name: "test_\(sql.hashValue)", sql: sql)).int8(row: 0, column: 0)
    }

    /// Waits until no other client of this database holds a snapshot.
    func waitForNoSnapshot() throws {
        try eventually("nobody holds a snapshot") {
            try integer(
                """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                    AND backend_type = 'client backend' AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
                """) == 0
        }
    }

    /// Releases every advisory lock, then closes. A session that is only closed keeps its locks until its server
    /// process notices.
    func releaseAndClose() throws {
        try execute("SELECT pg_advisory_unlock_all()")
        close()
    }
}

extension SplitMix64 {
    mutating func uuid() -> UUID {
        let (a, b) = (next(), next())
        return withUnsafeBytes(of: (a, b)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension LoggedEvent {
    /// An event whose content does not matter.
    static func any(
        user: UserID, version: Int64, partition: Partition = Partition(0), offset: Int64, recordedAt: Int64 = 1_000_000,
        type: String = EventType.badgeCleared.rawValue, payload: [UInt8] = []
    ) -> LoggedEvent {
        LoggedEvent(
            partition: partition, offset: LogOffset(offset), user: user, version: Version(version),
            device: DeviceID(UUID()), incarnation: Incarnation(7), sequence: DeviceSequence(version),
            id: EventID(UUID()), type: type, app: AppID("com.example.app"),
            occurredAt: Timestamp(microseconds: recordedAt - 5), recordedAt: Timestamp(microseconds: recordedAt),
            schemaVersion: 1, payload: payload)
    }
}
