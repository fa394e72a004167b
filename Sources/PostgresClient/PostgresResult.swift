import CLibPQ

/// Rows in binary, as the server sent them. They are read in place, and freed with the last copy of this value.
public struct PostgresResult: Sendable {
    let storage: ResultStorage
    /// 0 for commands that return no rows.
    public let rowCount: Int
    public let columnCount: Int

    /// Takes ownership of `pointer`.
    init(_ pointer: OpaquePointer) {
        storage = ResultStorage(pointer)
        rowCount = Int(PQntuples(pointer))
        columnCount = Int(PQnfields(pointer))
    }

    /// Rows inserted, updated, deleted, selected or copied; 0 for other commands.
    public var affectedRows: Int { Int(String(cString: PQcmdTuples(storage.pointer))) ?? 0 }

    /// Index of the column called `name`, or nil.
    public func column(_ name: String) -> Int? {
        let index = PQfnumber(storage.pointer, "\"\(name)\"")
        return index < 0 ? nil : Int(index)
    }

    /// Whether a value is NULL; false outside the result.
    public func isNull(row: Int, column: Int) -> Bool {
        contains(row, column) && PQgetisnull(storage.pointer, Int32(row), Int32(column)) == 1
    }

    /// Reads a value that may be NULL: `try result.optional(row, 2, result.int8)`.
    public func optional<T>(
        _ row: Int, _ column: Int, _ read: (Int, Int) throws(PostgresError) -> T
    ) throws(PostgresError) -> T? {
        isNull(row: row, column: column) ? nil : try read(row, column)
    }

    var isComplete: Bool {
        let status = PQresultStatus(storage.pointer)
        return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK
    }

    func contains(_ row: Int, _ column: Int) -> Bool {
        row >= 0 && row < rowCount && column >= 0 && column < columnCount
    }

    func type(_ column: Int) -> Oid { PQftype(storage.pointer, Int32(column)) }

    /// A value's bytes in place; valid while `storage` lives.
    func bytesInPlace(_ row: Int, _ column: Int) throws(PostgresError) -> UnsafeRawBufferPointer {
        guard contains(row, column) else {
            throw .decoding("row \(row), column \(column) of \(rowCount) × \(columnCount)")
        }
        guard PQgetisnull(storage.pointer, Int32(row), Int32(column)) == 0 else {
            throw .decoding("column \(column) is NULL")
        }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(storage.pointer, Int32(row), Int32(column)),
            count: Int(PQgetlength(storage.pointer, Int32(row), Int32(column))))
    }
}

/// Owns the `PGresult`.
// @unchecked: libpq's manual, "Behavior in Threaded Programs": a PGresult is read-only after creation and can be
// passed between threads freely; nothing here changes one.
final class ResultStorage: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { PQclear(pointer) }
}

extension PostgresError {
    static func decoding(_ message: String) -> PostgresError { PostgresError(kind: .decoding, message: message) }
}
