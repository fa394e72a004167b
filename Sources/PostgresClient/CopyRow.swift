import Foundation

/// Reads a tuple of a binary `copyOut`, field by field in the order of the columns.
public struct CopyRow {
    private var reader: BinaryReader
    /// Number of fields of the row.
    public let fieldCount: Int

    /// - Parameter bytes: a tuple as `copyOut` lends it; the row is valid as long as they are.
    public init(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) {
        reader = BinaryReader(bytes)
        fieldCount = Int(try reader.next(Int16.self))
    }

    /// The next field's binary form, in place; nil for NULL.
    public mutating func next() throws(PostgresError) -> UnsafeRawBufferPointer? { try reader.nextField() }

    // The next field as a type; each throws `.decoding` when the field is NULL or has another size.

    /// The next field, of an `int2` column.
    public mutating func int2() throws(PostgresError) -> Int16 { try integer() }
    /// The next field, of an `int4` column.
    public mutating func int4() throws(PostgresError) -> Int32 { try integer() }
    /// The next field, of an `int8` column.
    public mutating func int8() throws(PostgresError) -> Int64 { try integer() }
    /// The next field, of a text or enum column.
    public mutating func text() throws(PostgresError) -> String { String(decoding: try field(), as: UTF8.self) }
    /// The next field, of any column, in its binary form.
    public mutating func bytes() throws(PostgresError) -> [UInt8] { Array(try field()) }
    /// Microseconds since 1970.
    public mutating func timestamptz() throws(PostgresError) -> Int64 { PostgresEpoch.from1970(try integer()) }

    /// The next field, of a `uuid` column.
    public mutating func uuid() throws(PostgresError) -> UUID {
        let bytes = try field()
        guard bytes.count == 16 else { throw .decoding("a UUID of \(bytes.count) bytes") }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    private mutating func field() throws(PostgresError) -> UnsafeRawBufferPointer {
        guard let bytes = try next() else { throw .decoding("a field is NULL") }
        return bytes
    }

    private mutating func integer<T: FixedWidthInteger>() throws(PostgresError) -> T {
        let bytes = try field()
        guard bytes.count == MemoryLayout<T>.size else { throw .decoding("a field of \(bytes.count) bytes") }
        return T(bigEndian: bytes.loadUnaligned(as: T.self))
    }
}
