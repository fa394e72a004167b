import FocusCore
import PostgresClient

/// Turns tuples of `copy_events` into events. Remembers names that it has met: a log holds few types and apps, and a
/// string made anew for each event costs more than all its numbers.
struct ReplayDecoder {
    private var types: [(bytes: [UInt8], text: String)] = []
    private var lastApp: (bytes: [UInt8], app: AppID?) = ([], nil)

    /// Calls `body` for each event of the chunk, in order.
    mutating func decode(
        _ tuples: [UInt8], _ partition: Partition, _ body: (LoggedEvent) throws -> Void
    ) throws {
        try tuples.withUnsafeBytes { bytes in
            var position = 0
            while position < bytes.count {
                let count = Int(bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
                let start = position + 4
                var row = try CopyRow(UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
                try body(event(&row, partition))
                position = start + count
            }
        }
    }

    private mutating func event(_ row: inout CopyRow, _ partition: Partition) throws(PostgresError) -> LoggedEvent {
        LoggedEvent(
            partition: partition,
            offset: LogOffset(try row.int8()),
            user: UserID(try row.uuid()),
            version: Version(try row.int8()),
            device: DeviceID(try row.uuid()),
            incarnation: Incarnation(try row.int8()),
            sequence: DeviceSequence(try row.int8()),
            id: EventID(try row.uuid()),
            type: type(try row.next()),
            app: app(try row.next()),
            occurredAt: Timestamp(microseconds: try row.timestamptz()),
            recordedAt: Timestamp(microseconds: try row.timestamptz()),
            schemaVersion: try row.int4(),
            encoding: try row.int2(),
            payload: try row.bytes())
    }

    private mutating func type(_ field: UnsafeRawBufferPointer?) -> String {
        guard let field else { return "" }
        for known in types where known.bytes.elementsEqual(field) { return known.text }
        let text = String(decoding: field, as: UTF8.self)
        types.append((Array(field), text))
        return text
    }

    private mutating func app(_ field: UnsafeRawBufferPointer?) -> AppID? {
        guard let field else { return nil }
        if !lastApp.bytes.elementsEqual(field) {
            lastApp = (Array(field), AppID(String(decoding: field, as: UTF8.self)))
        }
        return lastApp.app
    }
}
