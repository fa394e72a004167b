import FocusCore
import PostgresClient

extension LoggedEvent {
    /// How many columns an event takes in a result.
    static let columnCount = 15

    /// Reads the columns partition, log_offset, user_id, version, device_id, incarnation, device_seq, event_id, type,
    /// app_id, occurred_at, recorded_at, schema_version, encoding, payload, beginning at column `first`.
    init(_ result: PostgresResult, row: Int, first: Int = 0) throws(PostgresError) {
        self.init(
            partition: Partition(try result.int4(row: row, column: first)),
            offset: LogOffset(try result.int8(row: row, column: first + 1)),
            user: UserID(try result.uuid(row: row, column: first + 2)),
            version: Version(try result.int8(row: row, column: first + 3)),
            device: DeviceID(try result.uuid(row: row, column: first + 4)),
            incarnation: Incarnation(try result.int8(row: row, column: first + 5)),
            sequence: DeviceSequence(try result.int8(row: row, column: first + 6)),
            id: EventID(try result.uuid(row: row, column: first + 7)),
            type: try result.text(row: row, column: first + 8),
            app: result.isNull(row: row, column: first + 9)
                ? nil : AppID(try result.text(row: row, column: first + 9)),
            occurredAt: Timestamp(microseconds: try result.timestamptz(row: row, column: first + 10)),
            recordedAt: Timestamp(microseconds: try result.timestamptz(row: row, column: first + 11)),
            schemaVersion: try result.int4(row: row, column: first + 12),
            encoding: try result.int2(row: row, column: first + 13),
            payload: try result.bytes(row: row, column: first + 14))
    }

    static func read(_ result: PostgresResult) throws(PostgresError) -> [LoggedEvent] {
        var events: [LoggedEvent] = []
        events.reserveCapacity(result.rowCount)
        for row in 0..<result.rowCount { events.append(try LoggedEvent(result, row: row)) }
        return events
    }
}
