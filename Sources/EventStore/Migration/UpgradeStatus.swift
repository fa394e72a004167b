import PostgresClient

/// How far the upgrade of a log to this program is, for whoever replaces its servers one after the other.
public struct UpgradeStatus: Hashable, Sendable {
    /// How many of the migrations that are applied programs of the last release do without.
    public var additions: Int
    /// The log's format.
    public var format: Int32
    /// The servers that are connected, the earliest programs first. Through a pooler none is seen.
    public var servers: [ConnectedServer]

    /// Whether nothing is left to do (`Migrator.finish`), and there is no way back.
    public var isFinished: Bool { additions == 0 && format >= EventStore.logFormats.upperBound }

    /// Throws `EventStoreError.unknownLog`, `PostgresError`.
    /// - Returns: nil when the database holds no log yet.
    public static func read(on connection: PostgresConnection) throws -> UpgradeStatus? {
        let identity: LogIdentity
        do {
            identity = try LogIdentity.read(on: connection)
        } catch EventStoreError.noLog {
            return nil
        }
        let hasAdditions = try connection.query(Queries.describeDatabase).bool(row: 0, column: 1)
        return UpgradeStatus(
            additions: hasAdditions ? try connection.query(Queries.readAdditions).rowCount : 0,
            format: identity.format, servers: try ConnectedServer.all(on: connection))
    }
}
