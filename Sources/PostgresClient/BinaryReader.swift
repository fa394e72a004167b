/// Reads PostgreSQL's binary format from bytes that the caller keeps alive.
struct BinaryReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var remaining: Int { bytes.count - position }

    @inline(__always)
    mutating func next<T: FixedWidthInteger>(_: T.Type) throws(PostgresError) -> T {
        guard remaining >= MemoryLayout<T>.size else { throw .decoding("a value is cut short") }
        defer { position += MemoryLayout<T>.size }
        return T(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: T.self))
    }

    @inline(__always)
    mutating func next(count: Int) throws(PostgresError) -> UnsafeRawBufferPointer {
        guard count >= 0, remaining >= count else { throw .decoding("a value is cut short") }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    /// A length of 32 bits and as many bytes; nil for NULL (length −1).
    @inline(__always)
    mutating func nextField() throws(PostgresError) -> UnsafeRawBufferPointer? {
        let length = try next(Int32.self)
        return length == -1 ? nil : try next(count: Int(length))
    }
}
