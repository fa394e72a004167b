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

    /// The next field's binary form, in place.
    public mutating func field() throws(PostgresError) -> UnsafeRawBufferPointer { try FieldBytes.present(next()) }
    /// The next field, of an `int2` column.
    public mutating func int2() throws(PostgresError) -> Int16 { try FieldBytes.integer(next()) }
    /// The next field, of an `int4` column.
    public mutating func int4() throws(PostgresError) -> Int32 { try FieldBytes.integer(next()) }
    /// The next field, of an `int8` column.
    public mutating func int8() throws(PostgresError) -> Int64 { try FieldBytes.integer(next()) }
    /// The next field, of a text or enum column.
    public mutating func text() throws(PostgresError) -> String { String(decoding: try field(), as: UTF8.self) }
    /// The next field, of any column, in its binary form.
    public mutating func bytes() throws(PostgresError) -> [UInt8] { Array(try field()) }
    /// Microseconds since 1970.
    public mutating func timestamptz() throws(PostgresError) -> Int64 {
        PostgresEpoch.from1970(try FieldBytes.integer(next()))
    }
    /// The next field, of a `uuid` column.
    public mutating func uuid() throws(PostgresError) -> UUID { try FieldBytes.uuid(next()) }
}
