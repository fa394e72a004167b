import FocusCore
import PostgresClient

/// Reads the log by place. Offsets are dense and in commit order, so a reader that asks for everything from the offset
/// after its last one misses nothing, ever.
public struct LogReader: Sendable {
    public init() {}

    /// Where partitions end, in ascending order. Partitions that do not exist are left out.
    public func heads(
        of partitions: [Partition], on connection: PostgresConnection
    ) throws(PostgresError) -> [PartitionHead] {
        try timedHeads(of: partitions, on: connection).heads
    }

    /// Where partitions end, in ascending order, and what the database's clock says.
    public func timedHeads(of partitions: [Partition], on connection: PostgresConnection) throws(PostgresError)
        -> TimedHeads
    {
        let result = try connection.query(Queries.readHeads, [.int4Array(partitions.map(\.rawValue))])
        var look = TimedHeads(heads: [], time: nil)
        for row in 0..<result.rowCount {
            look.heads.append(try PartitionHead(result, row: row))
            look.time = Timestamp(microseconds: try result.timestamptz(row: row, column: 5))
            look.isReadOnly = try result.bool(row: row, column: 6)
        }
        look.heads.sort { $0.partition < $1.partition }
        return look
    }

    /// Up to `limit` events of a partition from `offset` on, in order.
    public func events(
        partition: Partition, from offset: LogOffset, limit: Int, on connection: PostgresConnection
    ) throws(PostgresError) -> [LoggedEvent] {
        let result = try connection.query(
            Queries.readEvents, [.int4(partition.rawValue), .int8(offset.rawValue), .int8(Int64(limit))])
        return try LoggedEvent.read(result)
    }

    /// How many events of a user `forEachEvent` reads at once.
    public static let atOnce = 2_000
    /// How many bytes of payload, which the last event may pass.
    static let bytesAtOnce: Int64 = 16 << 20

    /// Whether a statement that reads a user's events may have left some out.
    static func isCut(_ events: [LoggedEvent], limit: Int, bytes: Int64 = bytesAtOnce) -> Bool {
        events.count == limit || events.reduce(0) { $0 + Int64($1.payload.count) } >= bytes
    }

    /// Hands the events of a user past `version` to `body`, in order. They are read in chunks, so that no statement
    /// holds a snapshot for long. Ends when `body` returns false, and where the log ends.
    ///
    /// Throws `PostgresError`, `EventStoreError.corrupt` for a row that is no event, and what `body` throws.
    /// - Parameter limit: the most events that a chunk has; fewer where no more than so many are needed.
    public func forEachEvent(
        of user: UserID, partition: Partition, after version: Version = .zero, atOnce limit: Int = atOnce,
        on connection: PostgresConnection, _ body: (LoggedEvent) throws -> Bool
    ) throws {
        var last = version
        while true {
            let events = try events(of: user, partition: partition, after: last, limit: limit, on: connection)
            for event in events { guard try body(event) else { return } }
            guard Self.isCut(events, limit: limit), let end = events.last else { return }
            last = end.version
        }
    }

    /// Up to `limit` events of a user past `version`, in order; fewer where they are large (`bytesAtOnce`).
    public func events(
        of user: UserID, partition: Partition, after version: Version, limit: Int, on connection: PostgresConnection
    ) throws(PostgresError) -> [LoggedEvent] {
        let result = try connection.query(
            Queries.readUserEvents,
            [
                .int4(partition.rawValue), .uuid(user.uuid), .int8(version.rawValue), .int8(0), .int8(Int64(limit)),
                .int8(Self.bytesAtOnce),
            ])
        return try LoggedEvent.read(result)
    }

    /// The id of the event at a version of a user's stream, and when it was recorded; nil when the log has none there.
    func recorded(
        of user: UserID, partition: Partition, at version: Version, on connection: PostgresConnection
    ) throws(PostgresError) -> (event: EventID, at: Timestamp)? {
        let result = try connection.query(
            Queries.findEventId, [.int4(partition.rawValue), .uuid(user.uuid), .int8(version.rawValue)])
        guard result.rowCount > 0 else { return nil }
        return (
            EventID(try result.uuid(row: 0, column: 0)),
            Timestamp(microseconds: try result.timestamptz(row: 0, column: 1))
        )
    }

    /// The id of the event at a version of a user's stream; nil when the log has none there (rule S6).
    public func event(
        of user: UserID, partition: Partition, at version: Version, on connection: PostgresConnection
    ) throws(PostgresError) -> EventID? {
        try recorded(of: user, partition: partition, at: version, on: connection)?.event
    }

    /// The users that have events at the offsets of `range`, each with its first and its last one there, and with whether
    /// one of them revokes a device.
    public func users(
        partition: Partition, in range: Range<LogOffset>, on connection: PostgresConnection
    ) throws(PostgresError) -> [UserInRange] {
        let result = try connection.query(
            Queries.findUsersInRange,
            [.int4(partition.rawValue), .int8(range.lowerBound.rawValue), .int8(range.upperBound.rawValue)])
        var users: [UserInRange] = []
        for row in 0..<result.rowCount {
            users.append(
                UserInRange(
                    user: UserID(try result.uuid(row: row, column: 0)),
                    version: Version(try result.int8(row: row, column: 1)),
                    firstOffset: LogOffset(try result.int8(row: row, column: 2)),
                    lastOffset: LogOffset(try result.int8(row: row, column: 3)),
                    revokes: try result.bool(row: row, column: 4)))
        }
        return users
    }
}

extension PartitionHead {
    /// Reads the columns partition, next_offset, last_recorded_at, generation, last_event_id, beginning at column
    /// `first`.
    init(_ result: PostgresResult, row: Int, first: Int = 0) throws(PostgresError) {
        self.init(
            partition: Partition(try result.int4(row: row, column: first)),
            nextOffset: LogOffset(try result.int8(row: row, column: first + 1)),
            lastEvent: EventID(try result.uuid(row: row, column: first + 4)),
            lastRecordedAt: Timestamp(microseconds: try result.timestamptz(row: row, column: first + 2)),
            generation: try result.int4(row: row, column: first + 3))
    }
}
