import Answers
import ArgumentParser
import EventStore
import FocusCore
import Foundation

/// How a replay is written.
enum ReplayFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// A JSON object per line.
    case ndjson
    /// RFC 4180, with a line of column names; the payload is JSON.
    case csv
    /// PostgreSQL's binary COPY (its manual, COPY, "Binary Format"), payloads as the devices sent them.
    case binary

    /// The columns of table `events`, in the order in which they are written.
    static let columns = [
        "partition", "log_offset", "user_id", "version", "device_id", "incarnation", "device_seq", "event_id", "type",
        "app_id", "occurred_at", "recorded_at", "schema_version", "encoding", "payload",
    ]

    var header: [UInt8] {
        switch self {
        case .ndjson: []
        case .csv: Array(CSVText.line(Self.columns).utf8)
        case .binary: Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)
        }
    }

    var trailer: [UInt8] {
        switch self {
        case .ndjson, .csv: []
        case .binary: [0xFF, 0xFF]
        }
    }

    func append(_ event: LoggedEvent, to bytes: inout [UInt8]) {
        switch self {
        case .ndjson:
            EventText.append(event, to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        case .csv: Self.appendCSV(event, to: &bytes)
        case .binary: Self.appendTuple(event, to: &bytes)
        }
    }

    // MARK: CSV

    private static func appendCSV(_ event: LoggedEvent, to bytes: inout [UInt8]) {
        CSVText.append(to: &bytes) { line in
            line.add(Int64(event.partition.rawValue))
            line.add(event.offset.rawValue)
            line.addPlain { event.user.appendText(to: &$0) }
            line.add(event.version.rawValue)
            line.addPlain { event.device.appendText(to: &$0) }
            line.add(event.incarnation.rawValue)
            line.add(event.sequence.rawValue)
            line.addPlain { event.id.appendText(to: &$0) }
            line.add(event.type)
            line.add(event.app?.rawValue ?? "")
            line.addPlain { event.occurredAt.appendRFC3339(to: &$0) }
            line.addPlain { event.recordedAt.appendRFC3339(to: &$0) }
            line.add(Int64(event.schemaVersion))
            line.add(Int64(event.encoding))
            line.add { if !EventText.appendPayload(event, to: &$0) { appendHexadecimal(event.payload, to: &$0) } }
        }
    }

    /// A payload that this program cannot read is shown as it is, as PostgreSQL shows bytes.
    private static func appendHexadecimal(_ payload: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "\\x".utf8)
        for byte in payload { bytes.append(contentsOf: ((byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8) }
    }

    // MARK: Binary

    private static func appendTuple(_ event: LoggedEvent, to bytes: inout [UInt8]) {
        append(Int16(columns.count), to: &bytes)
        field(event.partition.rawValue, to: &bytes)
        field(event.offset.rawValue, to: &bytes)
        field(event.user.bytes, to: &bytes)
        field(event.version.rawValue, to: &bytes)
        field(event.device.bytes, to: &bytes)
        field(event.incarnation.rawValue, to: &bytes)
        field(event.sequence.rawValue, to: &bytes)
        field(event.id.bytes, to: &bytes)
        field(Array(event.type.utf8), to: &bytes)
        if let app = event.app {
            field(Array(app.rawValue.utf8), to: &bytes)
        } else {
            append(Int32(-1), to: &bytes)
        }
        field(postgres(event.occurredAt), to: &bytes)
        field(postgres(event.recordedAt), to: &bytes)
        field(event.schemaVersion, to: &bytes)
        field(event.encoding, to: &bytes)
        field(event.payload, to: &bytes)
    }

    /// Microseconds since 2000-01-01, as PostgreSQL counts; stored times are all in range.
    private static func postgres(_ time: Timestamp) -> Int64 {
        time.adding(microseconds: -946_684_800_000_000).microseconds
    }

    private static func field<Number: FixedWidthInteger>(_ value: Number, to bytes: inout [UInt8]) {
        append(Int32(MemoryLayout<Number>.size), to: &bytes)
        append(value, to: &bytes)
    }

    private static func field(_ value: [UInt8], to bytes: inout [UInt8]) {
        append(Int32(clamping: value.count), to: &bytes)
        bytes.append(contentsOf: value)
    }

    private static func append<Number: FixedWidthInteger>(_ value: Number, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
