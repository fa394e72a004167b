import Foundation

/// A column of rows that go in with COPY, column by column (`CopyWriter.rows`).
public enum CopyColumn: Sendable {
    /// Every row has this value.
    case all(PostgresValue)
    /// One of the array cases: each row has the element in its place, in the type of the elements.
    case elements(PostgresValue)
    /// Each row has the value in its place.
    case values([PostgresValue])

    /// How many rows the column has; nil: any number; −1: `elements` holds no array.
    var count: Int? {
        switch self {
        case .all: nil
        case .elements(let array): array.elementCount
        case .values(let values): values.count
        }
    }
}

extension CopyWriter {
    /// Writes `count` rows in binary format. The values must have exactly the columns' types; `text` also suits enums.
    /// - Parameters:
    ///   - piece: rows after which `pause` is called, which may take its time.
    /// - Throws: `PostgresError` of kind `.usage` when the COPY is in text format, or a column has another number of
    ///   rows; and what `pause` throws.
    public mutating func rows(
        _ count: Int, _ columns: [CopyColumn], piece: Int = .max, pause: () throws -> Void = {}
    ) throws {
        guard isBinary, let fields = Int16(exactly: columns.count) else {
            throw PostgresError(kind: .usage, message: "rows of values need FORMAT binary")
        }
        guard columns.allSatisfy({ $0.count ?? count == count }) else {
            throw PostgresError(kind: .usage, message: "columns of a COPY have different numbers of rows")
        }
        let encoded = EncodedColumns(columns, count)
        for row in 0..<count {
            buffer.bytes.append(fields)
            for column in columns.indices { buffer.bytes.append(encoded.field(row, column)) }
            try sendIfFull()
            if (row + 1).isMultiple(of: piece) { try pause() }
        }
    }
}

/// Fields with their lengths, column after column: each array's type is looked at once, and not again for each row.
private struct EncodedColumns: ~Copyable {
    private var fields = BinaryBuffer()
    /// Where each field ends and the next begins, of all rows of a column and then of the next; zero before the first.
    private var ends = [0]
    private let rowCount: Int

    init(_ columns: [CopyColumn], _ rowCount: Int) {
        self.rowCount = rowCount
        ends.reserveCapacity(1 + rowCount * columns.count)
        for column in columns {
            switch column {
            case .all(let value): for _ in 0..<rowCount { append(value) }
            case .values(let values): for value in values { append(value) }
            case .elements(let array): append(elements: array)
            }
        }
    }

    /// A field with its length; the bytes are valid as long as this value.
    func field(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        let place = column * rowCount + row
        return UnsafeRawBufferPointer(rebasing: fields.bytes[ends[place]..<ends[place + 1]])
    }

    private mutating func append(_ value: PostgresValue) {
        append(value.isNull ? nil : value) { $0.append($1) }
    }

    /// Appends a field; nil is NULL.
    private mutating func append<T>(_ value: T?, _ write: (inout BinaryBuffer, T) -> Void) {
        let position = fields.count
        fields.append(Int32(-1))
        if let value {
            write(&fields, value)
            fields.replace(at: position, with: Int32(clamping: fields.count - position - 4))
        }
        ends.append(fields.count)
    }

    private mutating func append(elements array: PostgresValue) {
        switch array {
        // These have no elements, and `CopyColumn.count` refuses them.
        case .null, .bool, .int2, .int4, .int8, .float8, .text, .bytea, .uuid, .timestamptz: break
        case .int2Array(let values): for value in values { append(value) { $0.append($1) } }
        case .int4Array(let values): for value in values { append(value) { $0.append($1) } }
        case .int8Array(let values): for value in values { append(value) { $0.append($1) } }
        case .int8OptionalArray(let values): for value in values { append(value) { $0.append($1) } }
        case .float8Array(let values): for value in values { append(value) { $0.append($1.bitPattern) } }
        case .boolArray(let values): for value in values { append(value) { $0.append(UInt8($1 ? 1 : 0)) } }
        case .textArray(let values): for value in values { append(value) { $0.append($1) } }
        case .byteaArray(let values):
            for value in values { append(value) { buffer, bytes in bytes.withUnsafeBytes { buffer.append($0) } } }
        case .uuidArray(let values):
            for value in values { append(value) { buffer, id in withUnsafeBytes(of: id.uuid) { buffer.append($0) } } }
        case .timestamptzArray(let values):
            for value in values { append(value) { $0.append(PostgresEpoch.toPostgres($1)) } }
        }
    }
}

extension PostgresValue {
    /// How many elements an array has; −1 for anything else.
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
