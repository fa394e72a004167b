import FocusCore
import Foundation
import PostgresClient

/// The fields of an event's row, in the order of its columns: of a result, or of a binary COPY.
protocol EventFields {
    mutating func next() throws(PostgresError) -> UnsafeRawBufferPointer?
    mutating func field() throws(PostgresError) -> UnsafeRawBufferPointer
    mutating func int2() throws(PostgresError) -> Int16
    mutating func int4() throws(PostgresError) -> Int32
    mutating func int8() throws(PostgresError) -> Int64
    mutating func bytes() throws(PostgresError) -> [UInt8]
    mutating func timestamptz() throws(PostgresError) -> Int64
    mutating func uuid() throws(PostgresError) -> UUID
}

extension CopyRow: EventFields {}
extension ResultRow: EventFields {}

extension LoggedEvent {
    /// How many columns an event takes in a result.
    static let columnCount = 15

    /// Reads the fields log_offset, user_id, version, device_id, incarnation, device_seq, event_id, type, app_id,
    /// occurred_at, recorded_at, schema_version, encoding, payload.
    ///
    /// A function: an initialiser that calls another one would copy what that made.
    static func read(
        _ fields: inout some EventFields, in partition: Partition, _ names: inout EventNames
    ) throws(PostgresError) -> LoggedEvent {
        LoggedEvent(
            partition: partition,
            offset: LogOffset(try fields.int8()),
            user: UserID(try fields.uuid()),
            version: Version(try fields.int8()),
            device: DeviceID(try fields.uuid()),
            incarnation: Incarnation(try fields.int8()),
            sequence: DeviceSequence(try fields.int8()),
            id: EventID(try fields.uuid()),
            type: names.type(try fields.field()),
            app: names.app(try fields.next()),
            occurredAt: Timestamp(microseconds: try fields.timestamptz()),
            recordedAt: Timestamp(microseconds: try fields.timestamptz()),
            schemaVersion: try fields.int4(),
            encoding: try fields.int2(),
            payload: try fields.bytes())
    }

    /// Reads the columns partition, and those that `read(_:in:_:)` reads, from the first on.
    init(_ result: PostgresResult, row: Int) throws(PostgresError) {
        var names = EventNames()
        self = try Self.read(result, row, &names)
    }

    private static func read(
        _ result: PostgresResult, _ row: Int, _ names: inout EventNames
    ) throws(PostgresError) -> LoggedEvent {
        var fields = try ResultRow(result, row)
        let partition = Partition(try fields.int4())
        return try read(&fields, in: partition, &names)
    }

    static func read(_ result: PostgresResult) throws(PostgresError) -> [LoggedEvent] {
        var events: [LoggedEvent] = []
        events.reserveCapacity(result.rowCount)
        var names = EventNames()
        for row in 0..<result.rowCount { events.append(try read(result, row, &names)) }
        return events
    }
}
