import Foundation

/// A column of rows that go in with COPY, column by column (`CopyWriter.rows`).
public enum CopyColumn: Sendable {
    /// Every row has this value.
    case all(PostgresValue)
    /// One of the array cases: each row has the element in its place, in the type of the elements.
    case elements(PostgresValue)
    /// Each row has the value in its place.
    case values([PostgresValue])

    /// Rows that it has; nil: any number. −1: no array.
    var count: Int? {
        switch self {
        case .all: nil
        case .elements(let array): array.elementCount
        case .values(let values): values.count
        }
    }
}

extension CopyWriter {
    /// `count` rows of binary format. The values must have exactly the columns' types; `text` also suits enums.
    /// - Throws: `.usage` when the COPY is in text format, or a column has another number of rows.
    public mutating func rows(_ count: Int, _ columns: [CopyColumn]) throws(PostgresError) {
        guard isBinary, let fields = Int16(exactly: columns.count) else {
            throw PostgresError(kind: .usage, message: "rows of values need FORMAT binary")
        }
        guard columns.allSatisfy({ $0.count ?? count == count }) else {
            throw PostgresError(kind: .usage, message: "columns of a COPY have different numbers of rows")
        }
        for row in 0..<count {
            buffer.bytes.append(fields)
            for column in columns { buffer.bytes.append(column, row) }
            try sendIfFull()
        }
    }
}

extension BinaryBuffer {
    /// A field with its length.
    fileprivate mutating func append(_ column: CopyColumn, _ row: Int) {
        let position = count
        append(Int32(-1))
        let isNull =
            switch column {
            case .all(let value): appendField(value)
            case .values(let values): appendField(values[row])
            case .elements(let array): appendElement(array, row)
            }
        if !isNull { replace(at: position, with: Int32(clamping: count - position - 4)) }
    }

    /// Whether it is NULL.
    private mutating func appendField(_ value: PostgresValue) -> Bool {
        append(value)
        return value.isNull
    }

    /// Whether it is NULL.
    private mutating func appendElement(_ array: PostgresValue, _ row: Int) -> Bool {
        switch array {
        case .null, .bool, .int2, .int4, .int8, .float8, .text, .bytea, .uuid, .timestamptz: return true
        case .int2Array(let values): append(values[row])
        case .int4Array(let values): append(values[row])
        case .int8Array(let values): append(values[row])
        case .uuidArray(let values): withUnsafeBytes(of: values[row].uuid) { append($0) }
        case .int8OptionalArray(let values):
            guard let value = values[row] else { return true }
            append(value)
        case .float8Array(let values):
            guard let value = values[row] else { return true }
            append(value.bitPattern)
        case .boolArray(let values):
            guard let value = values[row] else { return true }
            append(UInt8(value ? 1 : 0))
        case .textArray(let values):
            guard let value = values[row] else { return true }
            append(value)
        case .byteaArray(let values):
            guard let value = values[row] else { return true }
            value.withUnsafeBytes { append($0) }
        case .timestamptzArray(let values):
            guard let value = values[row] else { return true }
            append(PostgresEpoch.toPostgres(value))
        }
        return false
    }
}

extension PostgresValue {
    /// Of an array; −1 of anything else.
    fileprivate var elementCount: Int {
        switch self {
        case .null, .bool, .int2, .int4, .int8, .float8, .text, .bytea, .uuid, .timestamptz: -1
        case .int2Array(let values): values.count
        case .int4Array(let values): values.count
        case .int8Array(let values): values.count
        case .int8OptionalArray(let values): values.count
        case .float8Array(let values): values.count
        case .boolArray(let values): values.count
        case .textArray(let values): values.count
        case .byteaArray(let values): values.count
        case .uuidArray(let values): values.count
        case .timestamptzArray(let values): values.count
        }
    }
}
