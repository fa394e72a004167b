import Foundation

/// Fields of rows in binary as values. Each throws `.decoding` when the field is NULL or has another size. They are
/// inlined, as rows come by the million.
enum FieldBytes {
    @inline(__always)
    static func present(_ field: UnsafeRawBufferPointer?) throws(PostgresError) -> UnsafeRawBufferPointer {
        guard let field else { throw .decoding("a field is NULL") }
        return field
    }

    @inline(__always)
    static func integer<T: FixedWidthInteger>(_ field: UnsafeRawBufferPointer?) throws(PostgresError) -> T {
        let bytes = try present(field)
        guard bytes.count == MemoryLayout<T>.size else { throw .decoding("a field of \(bytes.count) bytes") }
        return T(bigEndian: bytes.loadUnaligned(as: T.self))
    }

    @inline(__always)
    static func uuid(_ field: UnsafeRawBufferPointer?) throws(PostgresError) -> UUID {
        let bytes = try present(field)
        guard bytes.count == 16 else { throw .decoding("a UUID of \(bytes.count) bytes") }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}
