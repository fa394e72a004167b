import CLibPQ
import Foundation

/// Arrays of one dimension. An array with NULLs is read with the functions that return optionals.
extension PostgresResult {
    public func int4Array(row: Int, column: Int) throws(PostgresError) -> [Int32?] {
        try array(row, column, TypeOID.int4Array) { integer($0) }
    }

    public func int8Array(row: Int, column: Int) throws(PostgresError) -> [Int64?] {
        try array(row, column, TypeOID.int8Array) { integer($0) }
    }

    public func int2Array(row: Int, column: Int) throws(PostgresError) -> [Int16?] {
        try array(row, column, TypeOID.int2Array) { integer($0) }
    }

    public func float8Array(row: Int, column: Int) throws(PostgresError) -> [Double?] {
        try array(row, column, TypeOID.float8Array) { bytes in
            integer(bytes).map { (bits: UInt64) in Double(bitPattern: bits) }
        }
    }

    public func boolArray(row: Int, column: Int) throws(PostgresError) -> [Bool?] {
        try array(row, column, TypeOID.boolArray) { $0.first.map { $0 != 0 } }
    }

    public func textArray(row: Int, column: Int) throws(PostgresError) -> [String?] {
        try array(row, column, TypeOID.textArray) { String(decoding: $0, as: UTF8.self) }
    }

    public func byteaArray(row: Int, column: Int) throws(PostgresError) -> [[UInt8]?] {
        try array(row, column, TypeOID.byteaArray) { Array($0) }
    }

    public func uuidArray(row: Int, column: Int) throws(PostgresError) -> [UUID?] {
        try array(row, column, TypeOID.uuidArray) { bytes in
            bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
        }
    }

    /// Microseconds since 1970.
    public func timestamptzArray(row: Int, column: Int) throws(PostgresError) -> [Int64?] {
        try array(row, column, TypeOID.timestamptzArray) { bytes in
            integer(bytes).map { PostgresEpoch.from1970($0) }
        }
    }

    /// `read` returns nil for an element that does not have its type's size.
    private func array<T>(
        _ row: Int, _ column: Int, _ expected: Oid, _ read: (UnsafeRawBufferPointer) -> T?
    ) throws(PostgresError) -> [T?] {
        try require(column, expected)
        var reader = BinaryReader(try bytesInPlace(row, column))
        defer { withExtendedLifetime(storage) {} }
        let dimensions = try reader.next(Int32.self)
        _ = try reader.next(Int32.self)
        _ = try reader.next(Oid.self)
        if dimensions == 0 { return [] }
        guard dimensions == 1 else { throw .decoding("an array of \(dimensions) dimensions") }
        let count = Int(try reader.next(Int32.self))
        _ = try reader.next(Int32.self)
        var elements: [T?] = []
        // Each element takes at least its length.
        elements.reserveCapacity(min(max(count, 0), reader.remaining / 4))
        for _ in 0..<max(count, 0) {
            guard let bytes = try reader.nextField() else {
                elements.append(nil)
                continue
            }
            guard let element = read(bytes) else { throw .decoding("an element of \(bytes.count) bytes") }
            elements.append(element)
        }
        return elements
    }
}

private func integer<T: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer) -> T? {
    bytes.count == MemoryLayout<T>.size ? T(bigEndian: bytes.loadUnaligned(as: T.self)) : nil
}
