import FocusCore
import PostgresClient

/// A user of whom the read model says that something may be due.
public struct DueUser: Hashable, Sendable {
    public var partition: Partition
    public var user: UserID
    public var dueAt: Timestamp

    public init(partition: Partition, user: UserID, dueAt: Timestamp) {
        self.partition = partition
        self.user = user
        self.dueAt = dueAt
    }
}

/// The place in a partition's users, ordered by when something is due for them, after which a look goes on.
public struct DuePlace: Hashable, Sendable {
    public var dueAt: Timestamp
    public var user: UserID

    public init(dueAt: Timestamp, user: UserID) {
        self.dueAt = dueAt
        self.user = user
    }

    public init(_ found: DueUser) { self.init(dueAt: found.dueAt, user: found.user) }

    /// The place before every user.
    public static let start = DuePlace(dueAt: .earliestStored, user: UserID(DeviceID.server.uuid))
}

/// Asks the read model for whom something is due, with one statement: for each partition one probe of an index that
/// holds only users for whom something is due at some time.
public struct DueReader: Sendable {
    public init() {}

    /// Users with something due up to `until`: of each partition at most `limit`, after its place, in order.
    ///
    /// The read model may lag. A user found here must be loaded before anything is concluded; a user not found has
    /// events that are not projected yet, or nothing due.
    public func users(
        after places: [Partition: DuePlace], until: Timestamp, limit: Int, generation: Int32,
        on connection: PostgresConnection
    ) throws(PostgresError) -> [DueUser] {
        let places = places.sorted { $0.key < $1.key }
        let result = try connection.query(
            Generation(generation).statement(Queries.findDueUsers),
            [
                .int4Array(places.map(\.key.rawValue)),
                .timestamptzArray(places.map(\.value.dueAt.stored.microseconds)),
                .uuidArray(places.map(\.value.user.uuid)),
                .timestamptz(microsecondsSince1970: until.stored.microseconds), .int8(Int64(limit)),
            ])
        var found: [DueUser] = []
        for row in 0..<result.rowCount {
            found.append(
                DueUser(
                    partition: Partition(try result.int4(row: row, column: 0)),
                    user: UserID(try result.uuid(row: row, column: 1)),
                    dueAt: Timestamp(microseconds: try result.timestamptz(row: row, column: 2))))
        }
        return found
    }
}
