import FocusCore
import PostgresClient

/// Which log this is: fixed when it is created, the same for as long as it lives.
public struct LogIdentity: Hashable, Sendable {
    public var log: LogID
    /// The number of partitions, P: a user lives in partition hash mod P.
    public var partitions: Int32
    /// How users are spread over partitions: `EventStore.partitionHash`.
    public var hash: String
    /// One of `EventStore.logFormats`. It may be raised while servers run (`Migrator.finish`).
    public var format: Int32

    public init(log: LogID, partitions: Int32, hash: String, format: Int32) {
        self.log = log
        self.partitions = partitions
        self.hash = hash
        self.format = format
    }

    /// Reads table `log`. Throws `EventStoreError.noLog`, `.unknownLog` (a newer program made it) or `PostgresError`.
    public static func read(on connection: PostgresConnection) throws -> LogIdentity {
        let result: PostgresResult
        do {
            result = try connection.query(Queries.readLogIdentity)
        } catch  where error.isUndefinedTable {
            throw EventStoreError.noLog
        }
        guard result.rowCount == 1 else { throw EventStoreError.noLog }
        let identity = LogIdentity(
            log: LogID(try result.uuid(row: 0, column: 0)), partitions: try result.int4(row: 0, column: 1),
            hash: try result.text(row: 0, column: 2), format: try result.int4(row: 0, column: 3))
        guard identity.hash == EventStore.partitionHash, EventStore.logFormats.contains(identity.format) else {
            throw EventStoreError.unknownLog(format: identity.format, hash: identity.hash)
        }
        return identity
    }

    public var allPartitions: [Partition] { (0..<partitions).map { Partition($0) } }

    /// Where a user's events are.
    public func partition(of user: UserID) -> Partition { .of(user: user, count: partitions) }
}
