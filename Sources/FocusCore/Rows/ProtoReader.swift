/// Reads what `ProtoWriter` wrote. Unknown fields are skipped, so that an older program reads a newer row.
public struct ProtoReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    public init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// A field's number and value; nil at the end.
    public mutating func next() throws(ProtoError) -> (field: Int, value: ProtoValue)? {
        guard position < bytes.endIndex else { return nil }
        let tag = try varint()
        let field = Int(truncatingIfNeeded: tag >> 3 & 0x1FFF_FFFF)
        switch tag & 7 {
        case 0: return (field, .varint(try varint()))
        case 1: return (field, .fixed64(try fixed(8)))
        case 2:
            let count = try varint()
            guard count <= UInt64(bytes.endIndex - position) else { throw .truncated }
            defer { position += Int(count) }
            return (field, .data(bytes[position..<position + Int(count)]))
        case 5: return (field, .fixed32(UInt32(truncatingIfNeeded: try fixed(4))))
        default: throw .malformed
        }
    }

    private mutating func varint() throws(ProtoError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard position < bytes.endIndex else { throw .truncated }
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw .malformed
    }

    private mutating func fixed(_ count: Int) throws(ProtoError) -> UInt64 {
        guard bytes.endIndex - position >= count else { throw .truncated }
        defer { position += count }
        return bytes[position..<position + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

public enum ProtoError: Error, Hashable, Sendable {
    case truncated, malformed
    /// A field has another wire type than its message says, or its text is not UTF-8.
    case unexpected
}

public enum ProtoValue: Sendable {
    case varint(UInt64)
    case fixed64(UInt64)
    case fixed32(UInt32)
    case data(ArraySlice<UInt8>)

    public func uint() throws(ProtoError) -> UInt64 {
        guard case .varint(let value) = self else { throw .unexpected }
        return value
    }
    public func int() throws(ProtoError) -> Int64 { Int64(bitPattern: try uint()) }
    public func bool() throws(ProtoError) -> Bool { try uint() != 0 }
    public func sint() throws(ProtoError) -> Int64 {
        let value = try uint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
    public func double() throws(ProtoError) -> Double {
        guard case .fixed64(let value) = self else { throw .unexpected }
        return Double(bitPattern: value)
    }
    public func bytes() throws(ProtoError) -> ArraySlice<UInt8> {
        guard case .data(let value) = self else { throw .unexpected }
        return value
    }
    public func string() throws(ProtoError) -> String {
        guard let text = String(validating: try bytes(), as: UTF8.self) else { throw .unexpected }
        return text
    }
}
