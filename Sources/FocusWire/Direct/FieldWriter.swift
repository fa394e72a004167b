import FocusCore

import struct Foundation.UUID

/// How many bytes a field takes with its tag (one byte: fields 1–15); zero when it has its default and is left out.
enum FieldSize {
    static let uuid = 1 + 1 + 16

    static func varint(_ value: UInt64) -> Int { max(1, (64 - value.leadingZeroBitCount + 6) / 7) }

    static func int(_ value: Int64) -> Int { value == 0 ? 0 : 1 + varint(UInt64(bitPattern: value)) }

    static func fixed64(_ value: UInt64) -> Int { value == 0 ? 0 : 9 }

    static func string(_ text: String) -> Int { bytes(text.utf8.count) }

    static func bytes(_ count: Int) -> Int { count == 0 ? 0 : present(count) }

    /// A string, bytes or inner message that is written also when empty.
    static func present(_ count: Int) -> Int { 1 + varint(UInt64(count)) + count }
}

/// Writes fields (1–15) into a frame of known size: one allocation for a frame, however many rows it has. It writes
/// the bytes that generated code writes (tests compare them), several times as fast.
struct FieldWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private var position = 0

    private init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

    /// A frame whose message has exactly `size` bytes, with its length in front.
    static func frame(size: Int, _ write: (inout FieldWriter) -> Void) -> [UInt8] {
        let total = FrameSplitter.prefixBytes + size
        return Array(unsafeUninitializedCapacity: total) { storage, count in
            var writer = FieldWriter(UnsafeMutableRawBufferPointer(storage))
            withUnsafeBytes(of: UInt32(size).bigEndian) { writer.copy($0) }
            write(&writer)
            precondition(writer.position == total, "the frame has another size than was computed")
            count = total
        }
    }

    mutating func int(_ field: UInt8, _ value: Int64) {
        guard value != 0 else { return }
        byte(field << 3)
        varint(UInt64(bitPattern: value))
    }

    mutating func bool(_ field: UInt8, _ value: Bool) { int(field, value ? 1 : 0) }

    mutating func fixed64(_ field: UInt8, _ value: UInt64) {
        guard value != 0 else { return }
        byte(field << 3 | 1)
        withUnsafeBytes(of: value.littleEndian) { copy($0) }
    }

    mutating func string(_ field: UInt8, _ text: String) {
        guard !text.isEmpty else { return }
        presentString(field, text)
    }

    mutating func presentString(_ field: UInt8, _ text: String) {
        open(field, size: text.utf8.count)
        let done: Void? = text.utf8.withContiguousStorageIfAvailable { copy(UnsafeRawBufferPointer($0)) }
        if done == nil { for value in text.utf8 { byte(value) } }
    }

    mutating func bytes(_ field: UInt8, _ value: [UInt8]) {
        guard !value.isEmpty else { return }
        open(field, size: value.count)
        value.withUnsafeBytes { copy($0) }
    }

    mutating func uuid(_ field: UInt8, _ value: UUID) {
        open(field, size: 16)
        withUnsafeBytes(of: value.uuid) { copy($0) }
    }

    /// Writes the tag and length of an inner message, whose fields are to follow.
    mutating func open(_ field: UInt8, size: Int) {
        byte(field << 3 | 2)
        varint(UInt64(size))
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            byte(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        byte(UInt8(truncatingIfNeeded: rest))
    }

    // A size computed wrong must stop the program before it writes past the frame, in release as well.
    private mutating func byte(_ value: UInt8) {
        precondition(position < buffer.count, "the frame is larger than was computed")
        buffer[position] = value
        position += 1
    }

    private mutating func copy(_ source: UnsafeRawBufferPointer) {
        precondition(source.count <= buffer.count - position, "the frame is larger than was computed")
        UnsafeMutableRawBufferPointer(rebasing: buffer[position...]).copyMemory(from: source)
        position += source.count
    }
}
