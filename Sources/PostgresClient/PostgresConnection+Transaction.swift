import CLibPQ

/// How a transaction begins.
public enum TransactionMode: Sendable {
    /// The server's default, normally read committed.
    case standard
    /// One snapshot for all statements, writes refused.
    case snapshot
    case serializable

    fileprivate var begin: String {
        switch self {
        case .standard: "BEGIN"
        case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        case .serializable: "BEGIN ISOLATION LEVEL SERIALIZABLE"
        }
    }
}

extension PostgresConnection {
    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws. Transactions do not nest.
    ///
    /// - Throws: what `body` throws, or a `PostgresError`. If its `outcomeIsUnknown`, the commit may have happened.
    ///   `.transactionAborted` when a statement failed and `body` returned all the same: nothing happened.
    public func transaction<T>(
        _ mode: TransactionMode = .standard, _ body: (PostgresConnection) throws -> T
    ) throws -> T {
        guard isIdle || !isUsable else {
            throw PostgresError(kind: .usage, message: "a transaction is under way")
        }
        try begin(mode)
        let value: T
        do {
            value = try body(self)
        } catch {
            rollBack()
            throw error
        }
        // The server answers COMMIT of a failed transaction with ROLLBACK, and reports no error.
        guard !isUsable || PQtransactionStatus(handle.pointer) == PQTRANS_INTRANS else {
            rollBack()
            throw PostgresError(
                kind: .transactionAborted, sqlState: "25P02", message: "a statement of the transaction failed")
        }
        try execute("COMMIT")
        return value
    }

    /// Begins a transaction and runs statements in it, all in one round trip. `commit(after:)` or `rollBack` ends it, and
    /// nothing else may be waited for meanwhile. `transaction` is the way wherever its closure can hold all that happens.
    ///
    /// - Returns: the statements' results. When it throws, there is no transaction.
    public func begin(with requests: [(Statement, [PostgresValue])]) throws(PostgresError) -> [PostgresResult] {
        guard isIdle || !isUsable else {
            throw PostgresError(kind: .usage, message: "a transaction is under way")
        }
        do throws(PostgresError) {
            return try sendBegin(requests)
        } catch  where Self.isStalePlan(error) {
            // It was forgotten, and nothing has happened.
            return try sendBegin(requests)
        }
    }

    private func sendBegin(_ requests: [(Statement, [PostgresValue])]) throws(PostgresError) -> [PostgresResult] {
        var opening: [(Statement, [PostgresValue])] = [(Statement(name: "begin", sql: "BEGIN"), [])]
        if let prologue = configuration.prologue { opening.append((prologue.statement, prologue.values)) }
        do throws(PostgresError) {
            return Array(try sendTogether(opening + requests).dropFirst(opening.count))
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs the last statements of a transaction and commits it, all in one round trip.
    ///
    /// - Returns: the statements' results.
    /// - Throws: an error whose `outcomeIsUnknown` when the commit may have happened. After any other error nothing has
    ///   happened, and there is no transaction.
    public func commit(after requests: [(Statement, [PostgresValue])]) throws(PostgresError) -> [PostgresResult] {
        guard !isUsable || PQtransactionStatus(handle.pointer) == PQTRANS_INTRANS else {
            rollBack()
            throw PostgresError(kind: .transactionAborted, sqlState: "25P02", message: "there is no transaction")
        }
        do throws(PostgresError) {
            // After a statement that fails, PostgreSQL skips all that follow it, COMMIT among them.
            return try sendTogether(requests + [(Statement(name: "commit", sql: "COMMIT"), [])]).dropLast()
        } catch {
            rollBack()
            throw error
        }
    }

    private func begin(_ mode: TransactionMode) throws(PostgresError) {
        guard let prologue = configuration.prologue else { return try execute(mode.begin) }
        do throws(PostgresError) {
            let begin = Statement(name: "begin_\(mode)", sql: mode.begin)
            _ = try sendTogether([(begin, []), (prologue.statement, prologue.values)])
        } catch {
            rollBack()
            throw error
        }
    }

    /// Ends the transaction that `begin(with:)` began, if it is not over; nothing of it has happened.
    public func rollBack() {
        guard isUsable, !isIdle else { return }
        do throws(PostgresError) {
            try execute("ROLLBACK")
        } catch {
            // The server rolls back by itself when the connection ends.
            close()
        }
    }
}
