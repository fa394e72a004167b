import CLibPQ
import Foundation

/// Reads a row of a result, field by field in the order of the columns, as `CopyRow` reads a tuple. Unlike the typed
/// reads of `PostgresResult` it looks at no column's type: a statement of which many rows are read has the columns that
/// its reader knows.
public struct ResultRow {
    private let storage: ResultStorage
    private let row: Int32
    private var column: Int32
    private let columnCount: Int32

    /// - Parameter first: the column of the field that is read first.
    /// - Throws: `.decoding` when the result has no such row or column.
    public init(_ result: PostgresResult, _ row: Int, first: Int = 0) throws(PostgresError) {
        guard result.contains(row, first), let row = Int32(exactly: row), let column = Int32(exactly: first) else {
            throw .decoding("row \(row), column \(first) of \(result.rowCount) × \(result.columnCount)")
        }
        storage = result.storage
        self.row = row
        self.column = column
        columnCount = Int32(clamping: result.columnCount)
    }

    /// The next field's binary form, in place; nil for NULL. Valid as long as the result is.
    public mutating func next() throws(PostgresError) -> UnsafeRawBufferPointer? {
        guard column < columnCount else { throw .decoding("a row of \(columnCount) columns") }
        defer { column += 1 }
        let count = PQgetlength(storage.pointer, row, column)
        // A NULL has the length 0; what else has is looked at.
        if count == 0, PQgetisnull(storage.pointer, row, column) == 1 { return nil }
        return UnsafeRawBufferPointer(start: PQgetvalue(storage.pointer, row, column), count: Int(count))
    }

    // The next field as a type; each throws `.decoding` when the field is NULL or has another size.

    /// The next field's binary form, in place.
    public mutating func field() throws(PostgresError) -> UnsafeRawBufferPointer { try FieldBytes.present(next()) }
    /// The next field, of an `int2` column.
    public mutating func int2() throws(PostgresError) -> Int16 { try FieldBytes.integer(next()) }
    /// The next field, of an `int4` column.
    public mutating func int4() throws(PostgresError) -> Int32 { try FieldBytes.integer(next()) }
    /// The next field, of an `int8` column.
    public mutating func int8() throws(PostgresError) -> Int64 { try FieldBytes.integer(next()) }
    /// The next field, of any column, in its binary form.
    public mutating func bytes() throws(PostgresError) -> [UInt8] { Array(try field()) }
    /// Microseconds since 1970.
    public mutating func timestamptz() throws(PostgresError) -> Int64 {
        PostgresEpoch.from1970(try FieldBytes.integer(next()))
    }
    /// The next field, of a `uuid` column.
    public mutating func uuid() throws(PostgresError) -> UUID { try FieldBytes.uuid(next()) }
}
