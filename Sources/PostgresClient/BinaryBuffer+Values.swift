import CLibPQ
import Foundation

extension BinaryBuffer {
    /// The value's binary form without its length. Nothing for `null`.
    mutating func append(_ value: PostgresValue) {
        switch value {
        case .null: break
        case .bool(let value): append(UInt8(value ? 1 : 0))
        case .int2(let value): append(value)
        case .int4(let value): append(value)
        case .int8(let value): append(value)
        case .float8(let value): append(value.bitPattern)
        case .text(let value): append(value)
        case .bytea(let value): value.withUnsafeBytes { append($0) }
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { append($0) }
        case .timestamptz(let value): append(PostgresEpoch.toPostgres(value))
        case .int2Array(let values): appendIntegers(values, of: TypeOID.int2)
        case .int4Array(let values): appendIntegers(values, of: TypeOID.int4)
        case .int8Array(let values): appendIntegers(values, of: TypeOID.int8)
        case .int8OptionalArray(let values): appendArray(values, of: TypeOID.int8) { $0.append($1) }
        case .float8Array(let values): appendArray(values, of: TypeOID.float8) { $0.append($1.bitPattern) }
        case .boolArray(let values): appendArray(values, of: TypeOID.bool) { $0.append(UInt8($1 ? 1 : 0)) }
        case .textArray(let values): appendArray(values, of: TypeOID.text) { $0.append($1) }
        case .byteaArray(let values): appendByteas(values)
        case .uuidArray(let values): appendUUIDs(values)
        case .timestamptzArray(let values):
            appendArray(values, of: TypeOID.timestamptz) { $0.append(PostgresEpoch.toPostgres($1)) }
        }
    }

    /// `array_recv` in the server's `arrayfuncs.c`: dimensions, has-nulls, element type, then length and lower bound.
    private mutating func appendArrayHeader(count: Int, hasNulls: Bool, of element: Oid) {
        append(Int32(count == 0 ? 0 : 1))
        append(Int32(hasNulls ? 1 : 0))
        append(element)
        guard count > 0 else { return }
        append(Int32(truncatingIfNeeded: count))
        append(Int32(1))
    }

    private mutating func appendIntegers<T: FixedWidthInteger>(_ values: [T], of element: Oid) {
        reserve(20 + values.count * (4 + MemoryLayout<T>.size))
        appendArrayHeader(count: values.count, hasNulls: false, of: element)
        let size = Int32(MemoryLayout<T>.size)
        for value in values {
            append(size)
            append(value)
        }
    }

    private mutating func appendUUIDs(_ values: [UUID]) {
        reserve(20 + values.count * 20)
        appendArrayHeader(count: values.count, hasNulls: false, of: TypeOID.uuid)
        for value in values {
            append(Int32(16))
            withUnsafeBytes(of: value.uuid) { append($0) }
        }
    }

    private mutating func appendByteas(_ values: [[UInt8]?]) {
        // One growth for the whole batch: these are the payloads of thousands of events.
        reserve(values.reduce(20) { $0 + 4 + ($1?.count ?? 0) })
        appendArrayHeader(count: values.count, hasNulls: values.contains { $0 == nil }, of: TypeOID.bytea)
        for value in values {
            guard let value else {
                append(Int32(-1))
                continue
            }
            append(Int32(truncatingIfNeeded: value.count))
            value.withUnsafeBytes { append($0) }
        }
    }

    private mutating func appendArray<T>(
        _ values: [T?], of element: Oid, _ write: (inout BinaryBuffer, T) -> Void
    ) {
        reserve(20 + values.count * 12)
        appendArrayHeader(count: values.count, hasNulls: values.contains { $0 == nil }, of: element)
        for value in values {
            let position = count
            append(Int32(-1))
            guard let value else { continue }
            write(&self, value)
            replace(at: position, with: Int32(truncatingIfNeeded: count - position - 4))
        }
    }
}
