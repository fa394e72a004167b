import CLibPQ

/// The answer to one request: its last result, or its first error.
struct QueryOutcome {
    private(set) var last: PostgresResult?
    private(set) var error: PostgresError?
    private(set) var isCopy = false

    init(error: PostgresError? = nil) { self.error = error }

    /// Takes ownership of `result`.
    mutating func consume(_ result: OpaquePointer, connection: OpaquePointer?) {
        switch PQresultStatus(result) {
        case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR:
            if let connection { error = error ?? PostgresError(result: result, connection: connection) }
            PQclear(result)
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            isCopy = true
            PQclear(result)
        default:
            last = PostgresResult(result)
        }
    }

    /// Throws the first error, or the error that the connection's state implies.
    func check(_ connection: PostgresConnection) throws(PostgresError) {
        if PQstatus(connection.handle.pointer) != CONNECTION_OK { connection.isBroken = true }
        if let error {
            // A FATAL arrives before the end of the stream: whatever its code, this connection is over.
            if error.kind == .connectionLost { connection.isBroken = true }
            guard connection.isBroken, error.kind != .connectionLost else { throw error }
            throw PostgresError(kind: .connectionLost, sqlState: error.sqlState, message: error.message)
        }
        if connection.isBroken {
            throw PostgresError(kind: .connectionLost, connection: connection.handle.pointer)
        }
        if connection.handle.notices.replicationUnconfirmed {
            throw PostgresError(kind: .replicationUnconfirmed, message: "the standby did not confirm the commit")
        }
    }

    func result() throws(PostgresError) -> PostgresResult {
        guard let last, last.isComplete else { throw PostgresError(kind: .usage, message: "the statement is empty") }
        return last
    }
}
