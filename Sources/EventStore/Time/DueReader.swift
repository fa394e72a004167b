import FocusCore
import PostgresClient

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
