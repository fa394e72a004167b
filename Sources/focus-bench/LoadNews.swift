import FocusCore
import FocusWire

/// What a server's frame means to the load generator.
enum LoadNews {
    case welcome(lastSequence: DeviceSequence)
    case appended(Appended)
    /// Rows of a delta or snapshot; only their number matters.
    case rows(Int)
    /// The server has sent everything up to this version.
    case reached(Version, rows: Int)
    case ping(UInt64)
    /// A message that means nothing for the load.
    case other
    /// An error, or GoAway.
    case failed(String)

    /// Field numbers of `ServerFrame`, `Delta`, `Cursor` and the messages of rows in sync.proto.
    private static let deltaFrame: UInt64 = 9
    private static let rowsFrames: Set<UInt64> = [4, 7]
    private static let (deltaRow, deltaCursor, cursorVersion): (UInt64, UInt64, UInt64) = (2, 3, 2)
    private static let rowsRow: UInt64 = 1

    /// - Parameter message: the frame without its length. Rows, which are nearly all of the traffic, are counted
    ///   without being decoded.
    init(_ message: UnsafeRawBufferPointer) throws {
        var fields = WireFields(message)
        if let (number, value) = fields.next(), case .bytes(let content) = value, fields.isAtEnd {
            if number == Self.deltaFrame {
                self = try Self.delta(content)
                return
            }
            if Self.rowsFrames.contains(number) {
                self = .rows(Self.count(of: Self.rowsRow, in: content))
                return
            }
        }
        switch try FrameCodec.decodeServer(Array(message)) {
        case .welcome(let welcome): self = .welcome(lastSequence: welcome.lastSequence)
        case .appended(let appended): self = .appended(appended)
        case .snapshotEnd(let cursor), .deltaEnd(let cursor), .checkpoint(let cursor, _):
            self = .reached(cursor.version, rows: 0)
        case .delta(_, let rows, let cursor): self = .reached(cursor.version, rows: rows.count)
        case .snapshotRows(let rows), .deltaRows(let rows): self = .rows(rows.count)
        case .ping(let nonce): self = .ping(nonce)
        case .recalled, .snapshotBegin, .deltaBegin, .pong, .tokenExpiry, .fetched, .peerStatuses, .unknown:
            self = .other
        case .error(let error): self = .failed("\(error.code.rawValue): \(error.message)")
        case .goAway(let goAway): self = .failed("the server said \(goAway.code.rawValue)")
        }
    }

    private static func delta(_ content: UnsafeRawBufferPointer) throws -> LoadNews {
        var fields = WireFields(content)
        var rows = 0
        var version: Version?
        while let (number, value) = fields.next() {
            if number == deltaRow { rows += 1 }
            guard number == deltaCursor, case .bytes(let cursor) = value else { continue }
            var inner = WireFields(cursor)
            while let (number, value) = inner.next() {
                if number == cursorVersion, case .number(let bits) = value {
                    version = Version(Int64(bitPattern: bits))
                }
            }
        }
        guard let version, fields.isAtEnd else { throw FrameError.malformed("A delta without a cursor.") }
        return .reached(version, rows: rows)
    }

    private static func count(of field: UInt64, in content: UnsafeRawBufferPointer) -> Int {
        var fields = WireFields(content)
        var count = 0
        while let (number, _) = fields.next() {
            if number == field { count += 1 }
        }
        return count
    }
}

/// Steps over the fields of a protobuf message (encoding: protobuf.dev, "Encoding"). Ends early at bytes that are no
/// field.
struct WireFields {
    enum Value {
        case number(UInt64)
        case bytes(UnsafeRawBufferPointer)
        /// A value of fixed size, which is skipped.
        case fixed
    }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func next() -> (number: UInt64, value: Value)? {
        let start = position
        if !isAtEnd, let tag = varint(), let value = value(wireType: tag & 7) { return (tag >> 3, value) }
        position = start
        return nil
    }

    private mutating func value(wireType: UInt64) -> Value? {
        switch wireType {
        case 0: return varint().map { .number($0) }
        case 1: return skip(8)
        case 2:
            guard let count = varint(), count <= UInt64(bytes.count - position) else { return nil }
            let start = position
            position += Int(count)
            return .bytes(UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
        case 5: return skip(4)
        default: return nil
        }
    }

    private mutating func skip(_ count: Int) -> Value? {
        guard count <= bytes.count - position else { return nil }
        position += count
        return .fixed
    }

    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count, shift < 64 {
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}
