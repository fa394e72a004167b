import CLibPQ
import Foundation

/// Typed reads. Each throws `.decoding` when the column has another type, is NULL, or does not exist.
extension PostgresResult {
    public func bool(row: Int, column: Int) throws(PostgresError) -> Bool {
        try fixed(row, column, TypeOID.bool, as: UInt8.self) != 0
    }

    public func int2(row: Int, column: Int) throws(PostgresError) -> Int16 {
        try fixed(row, column, TypeOID.int2, as: Int16.self)
    }

    /// The value of an `int4` or `int2` column.
    public func int4(row: Int, column: Int) throws(PostgresError) -> Int32 {
        if type(ifPresent: column) == TypeOID.int2 { return Int32(try int2(row: row, column: column)) }
        return try fixed(row, column, TypeOID.int4, as: Int32.self)
    }

    /// The value of an `int8`, `int4`, `int2`, `oid` or `xid8` column.
    public func int8(row: Int, column: Int) throws(PostgresError) -> Int64 {
        switch type(ifPresent: column) {
        case TypeOID.int2, TypeOID.int4: Int64(try int4(row: row, column: column))
        case TypeOID.oid: Int64(try fixed(row, column, TypeOID.oid, as: UInt32.self))
        case TypeOID.xid8: try fixed(row, column, TypeOID.xid8, as: Int64.self)
        default: try fixed(row, column, TypeOID.int8, as: Int64.self)
        }
    }

    /// The value of a `float8` or `float4` column.
    public func float8(row: Int, column: Int) throws(PostgresError) -> Double {
        if type(ifPresent: column) == TypeOID.float4 {
            return Double(Float(bitPattern: try fixed(row, column, TypeOID.float4, as: UInt32.self)))
        }
        return Double(bitPattern: try fixed(row, column, TypeOID.float8, as: UInt64.self))
    }

    /// The value of a column of any text type, of `json`, or of an enum (its label).
    public func text(row: Int, column: Int) throws(PostgresError) -> String {
        let bytes = try textInPlace(row, column)
        return withExtendedLifetime(storage) { String(decoding: bytes, as: UTF8.self) }
    }

    /// Whether `text` would be the same, byte by byte; makes no text.
    public func isText(row: Int, column: Int, _ text: String) throws(PostgresError) -> Bool {
        let bytes = try textInPlace(row, column)
        return withExtendedLifetime(storage) {
            guard bytes.count == text.utf8.count else { return false }
            let isEqual = text.utf8.withContiguousStorageIfAvailable { other in
                bytes.isEmpty || memcmp(bytes.baseAddress!, other.baseAddress!, bytes.count) == 0
            }
            return isEqual ?? text.utf8.elementsEqual(bytes)
        }
    }

    private func textInPlace(_ row: Int, _ column: Int) throws(PostgresError) -> UnsafeRawBufferPointer {
        let bytes = try bytesInPlace(row, column)
        switch type(column) {
        case TypeOID.text, TypeOID.varchar, TypeOID.bpchar, TypeOID.name, TypeOID.char, TypeOID.unknown,
            TypeOID.json, TypeOID.firstUserDefined...:
            return bytes
        default:
            throw .decoding("column \(column) has type \(type(column)), not text")
        }
    }

    public func uuid(row: Int, column: Int) throws(PostgresError) -> UUID {
        try require(column, TypeOID.uuid)
        let bytes = try bytesInPlace(row, column)
        guard bytes.count == 16 else { throw .decoding("a UUID of \(bytes.count) bytes") }
        return withExtendedLifetime(storage) { UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) }
    }

    /// The value of a `bytea` column.
    public func bytes(row: Int, column: Int) throws(PostgresError) -> [UInt8] {
        try require(column, TypeOID.bytea)
        let bytes = try bytesInPlace(row, column)
        return withExtendedLifetime(storage) { Array(bytes) }
    }

    /// Microseconds since 1970; `infinity` and `-infinity` are the ends of the range.
    public func timestamptz(row: Int, column: Int) throws(PostgresError) -> Int64 {
        PostgresEpoch.from1970(try fixed(row, column, TypeOID.timestamptz, as: Int64.self))
    }

    private func fixed<T: FixedWidthInteger>(
        _ row: Int, _ column: Int, _ expected: Oid, as: T.Type
    ) throws(PostgresError) -> T {
        try require(column, expected)
        let bytes = try bytesInPlace(row, column)
        guard bytes.count == MemoryLayout<T>.size else { throw .decoding("a value of \(bytes.count) bytes") }
        return withExtendedLifetime(storage) { T(bigEndian: bytes.loadUnaligned(as: T.self)) }
    }

    func type(ifPresent column: Int) -> Oid {
        column >= 0 && column < columnCount ? type(column) : TypeOID.inferred
    }

    func require(_ column: Int, _ expected: Oid) throws(PostgresError) {
        let found = type(ifPresent: column)
        guard found == expected || found == TypeOID.inferred else {
            throw .decoding("column \(column) has type \(found), not \(expected)")
        }
    }
}
