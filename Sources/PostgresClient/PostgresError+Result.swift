import CLibPQ

extension PostgresError {
    /// Made from a failed `PGresult`, which the caller clears.
    init(result: OpaquePointer, connection: OpaquePointer) {
        let message = diagnostic(result, .primaryMessage) ?? text(PQresultErrorMessage(result))
        let constraint = diagnostic(result, .constraint)
        guard let sqlState = diagnostic(result, .sqlState) else {
            // libpq itself made the error: mostly "server closed the connection unexpectedly".
            let isLost = PQstatus(connection) == CONNECTION_BAD
            self.init(kind: isLost ? .connectionLost : .other, message: message)
            return
        }
        let kind = Kind(sqlState: sqlState, constraint: constraint, message: message)
        self.init(kind: kind, sqlState: sqlState, message: message, constraint: constraint)
    }

    /// Made from libpq's message about the connection.
    init(kind: Kind, connection: OpaquePointer?) {
        self.init(kind: kind, message: text(PQerrorMessage(connection)))
    }
}

private func text(_ message: UnsafePointer<CChar>?) -> String {
    var message = message.map { String(cString: $0) } ?? ""
    while message.last?.isWhitespace == true { message.removeLast() }
    return message
}
