/// Writes the protobuf wire format in one canonical way: fields in the order of the calls, defaults left out, no
/// unknown fields. Row bytes are compared and hashed on both sides of the wire (rule S9), and protobuf libraries do not
/// promise equal bytes for equal messages; this does. The messages are those of `Schema/proto/focus/sync/v1`.
public struct ProtoWriter {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// Reserves about `capacity` bytes, so that a long message is not copied as it grows.
    public init(capacity: Int) { bytes.reserveCapacity(capacity) }

    public mutating func varint(_ field: Int, _ value: UInt64) {
        guard value != 0 else { return }
        tag(field, 0)
        raw(value)
    }

    /// int32, int64 and enums: negative values take ten bytes, as protobuf has it.
    public mutating func int(_ field: Int, _ value: Int64) { varint(field, UInt64(bitPattern: value)) }

    public mutating func bool(_ field: Int, _ value: Bool) { varint(field, value ? 1 : 0) }

    public mutating func sint(_ field: Int, _ value: Int64) {
        varint(field, UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    public mutating func double(_ field: Int, _ value: Double) {
        guard value.bitPattern != 0 else { return }
        tag(field, 1)
        withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    public mutating func string(_ field: Int, _ value: String) {
        guard !value.isEmpty else { return }
        presentString(field, value)
    }

    /// For `optional` and repeated fields: written also when empty.
    public mutating func presentString(_ field: Int, _ value: String) {
        tag(field, 2)
        raw(UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    public mutating func data(_ field: Int, _ value: [UInt8]) {
        guard !value.isEmpty else { return }
        presentData(field, value)
    }

    /// For `optional` and repeated fields, and for whole messages: written also when empty.
    public mutating func presentData(_ field: Int, _ value: [UInt8]) {
        tag(field, 2)
        raw(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// An `optional` integer or bool: written also when zero.
    public mutating func presentVarint(_ field: Int, _ value: UInt64) {
        tag(field, 0)
        raw(value)
    }

    /// A `double` of a `oneof`: written also when its bits are zero.
    public mutating func presentFixed64(_ field: Int, _ bits: UInt64) {
        tag(field, 1)
        withUnsafeBytes(of: bits.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// An inner message; the writer that `body` gets writes nothing else.
    public mutating func message(_ field: Int, _ body: (inout ProtoWriter) -> Void) {
        tag(field, 2)
        // Its length is known when it is written: one byte is left for it, which is mostly enough.
        let place = bytes.count
        bytes.append(0)
        body(&self)
        let count = bytes.count - place - 1
        guard count >= 0x80 else { return bytes[place] = UInt8(truncatingIfNeeded: count) }
        var length = ProtoWriter()
        length.raw(UInt64(count))
        bytes.replaceSubrange(place...place, with: length.bytes)
    }

    private mutating func tag(_ field: Int, _ wireType: UInt64) { raw(UInt64(field) << 3 | wireType) }

    private mutating func raw(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
