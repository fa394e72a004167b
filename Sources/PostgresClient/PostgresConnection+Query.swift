import CLibPQ
import Foundation

extension PostgresConnection {
    /// Runs one statement with binary parameters and returns its rows in binary.
    ///
    /// It is prepared at its first use on this connection. A plan that the server dropped or can no longer use
    /// (26000; 0A000 after the schema changed) is prepared anew, once, when no transaction would be hurt by that.
    @discardableResult
    public func query(
        _ statement: Statement, _ values: [PostgresValue] = []
    ) throws(PostgresError) -> PostgresResult {
        do throws(PostgresError) {
            try requireUsable()
            let wasIdle = isIdle
            if configuration.prologue != nil, wasIdle {
                guard let result = try pipeline([(statement, values)]).first else {
                    throw PostgresError(kind: .usage, message: "the statement is empty")
                }
                return result
            }
            do throws(PostgresError) {
                return try send(statement, values).result()
            } catch  where Self.isStalePlan(error) {
                prepared.forget(statement)
                guard wasIdle, isIdle else { throw error }
                return try send(statement, values).result()
            }
        } catch {
            throw error.during(statement)
        }
    }

    /// Runs a script of any number of statements without parameters, as one implicit transaction unless it has its
    /// own (simple query protocol).
    public func execute(_ script: String) throws(PostgresError) {
        try requireUsable()
        guard PQsendQuery(handle.pointer, script) == 1 else { throw sendFailure() }
        _ = try readResult()
    }

    /// The server's name of the statement, prepared now if it was not; nil when it is not to be prepared.
    func prepare(_ statement: Statement, _ values: [PostgresValue]) throws(PostgresError) -> String? {
        guard configuration.usesPreparedStatements else { return nil }
        if let entry = prepared.entry(for: statement, values: values) { return entry.serverName }
        let entry = prepared.next(for: statement, types: values.map(\.type))
        guard
            PQsendPrepare(handle.pointer, entry.serverName, entry.sql, Int32(entry.types.count), entry.types) == 1
        else { throw sendFailure() }
        _ = try readResult()
        prepared.insert(entry, for: statement)
        return entry.serverName
    }

    /// Hands the statement to libpq, which copies the parameters.
    func enqueue(
        _ statement: Statement, _ values: [PostgresValue], prepared name: String?
    ) throws(PostgresError) {
        try parameters.fill(values)
        statementCount += 1
        let connection = handle.pointer
        let types = parameters.types
        let isSent = parameters.send { count, pointers, lengths, formats in
            if let name {
                PQsendQueryPrepared(connection, name, count, pointers, lengths, formats, 1)
            } else {
                PQsendQueryParams(connection, statement.sql, count, types, pointers, lengths, formats, 1)
            }
        }
        parameters.clear()
        guard isSent == 1 else { throw sendFailure() }
    }

    private func send(_ statement: Statement, _ values: [PostgresValue]) throws(PostgresError) -> QueryOutcome {
        let name = try prepare(statement, values)
        try enqueue(statement, values, prepared: name)
        return try readResult()
    }

    /// Reads to the end of the answer, so that the connection is ready for the next call whatever happened.
    @discardableResult
    func readResult() throws(PostgresError) -> QueryOutcome {
        handle.notices.replicationUnconfirmed = false
        try flush()
        var outcome = QueryOutcome()
        while let result = try nextResult() {
            outcome.consume(result, connection: handle.pointer)
            if outcome.isCopy {
                // A COPY cannot be left half-way by a caller that did not expect it.
                close()
                throw PostgresError(kind: .usage, message: "COPY needs copyIn or copyOut")
            }
        }
        try outcome.check(self)
        return outcome
    }

    static func isStalePlan(_ error: PostgresError) -> Bool {
        error.sqlState == "26000" || (error.sqlState == "0A000" && error.message.contains("cached plan"))
    }
}
