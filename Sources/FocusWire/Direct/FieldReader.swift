import FocusCore

import struct Foundation.UUID
import typealias Foundation.uuid_t

/// The bytes are not the plain form of a message: they are broken, or have an unknown field, another wire type, or a
/// number in too many bytes. They may still be right: the generated decoder, which knows all of protobuf, then judges.
struct Unusual: Error {}

/// Reads the plain form of the messages that come by the thousand, several times as fast as generated code: it copies
/// nothing that is not kept, and makes no `Data`. Every read is checked against the end of the bytes.
struct FieldReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    /// A tag of one byte: field number (1–15) × 8 + wire type.
    mutating func tag() throws(Unusual) -> UInt8 {
        guard position < bytes.count else { throw Unusual() }
        let byte = bytes[position]
        guard byte < 0x80 else { throw Unusual() }
        position += 1
        return byte
    }

    /// Reads the tag if it comes next.
    mutating func skip(_ tag: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == tag else { return false }
        position += 1
        return true
    }

    mutating func varint() throws(Unusual) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                // The tenth byte has room for one bit.
                guard shift < 63 || byte <= 1 else { throw Unusual() }
                return value
            }
            shift += 7
            guard shift < 64 else { throw Unusual() }
        }
        throw Unusual()
    }

    mutating func int() throws(Unusual) -> Int64 { Int64(bitPattern: try varint()) }

    mutating func bool() throws(Unusual) -> Bool { try varint() != 0 }

    mutating func fixed64() throws(Unusual) -> UInt64 {
        guard bytes.count - position >= 8 else { throw Unusual() }
        defer { position += 8 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    mutating func double() throws(Unusual) -> Double { Double(bitPattern: try fixed64()) }

    /// A string, bytes or inner message; valid as long as the outer bytes are.
    mutating func delimited() throws(Unusual) -> UnsafeRawBufferPointer {
        let count = try varint()
        guard count <= UInt64(bytes.count - position) else { throw Unusual() }
        defer { position += Int(count) }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + Int(count)])
    }

    mutating func data() throws(Unusual) -> [UInt8] { Array(try delimited()) }

    mutating func string() throws(Unusual) -> String { try Self.string(delimited()) }

    /// A string that is often equal to `previous`, which is then shared.
    mutating func string(like previous: String) throws(Unusual) -> String {
        let text = try delimited()
        return Self.equal(text, previous) ? previous : try Self.string(text)
    }

    mutating func uuid() throws(Unusual) -> UUID {
        let id = try delimited()
        guard id.count == 16 else { throw Unusual() }
        return UUID(uuid: id.loadUnaligned(as: uuid_t.self))
    }

    static func equal(_ bytes: UnsafeRawBufferPointer, _ text: String) -> Bool {
        guard bytes.count == text.utf8.count else { return false }
        return text.utf8.withContiguousStorageIfAvailable { equal(bytes, UnsafeRawBufferPointer($0)) }
            ?? text.utf8.elementsEqual(bytes)
    }

    static func equal(_ bytes: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == other.count else { return false }
        // `elementsEqual` is not made into a plain loop.
        for index in 0..<bytes.count where bytes[index] != other[index] { return false }
        return true
    }

    static func string(_ bytes: UnsafeRawBufferPointer) throws(Unusual) -> String {
        let text: String? = bytes.withMemoryRebound(to: UInt8.self) { buffer in
            // Half the time of String(validating:as:).
            guard let valid = try? UTF8Span(validating: buffer.span) else { return nil }
            return String(copying: valid)
        }
        guard let text else { throw Unusual() }
        return text
    }
}
