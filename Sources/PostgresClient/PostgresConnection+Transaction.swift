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

    private func rollBack() {
        guard isUsable, !isIdle else { return }
        do throws(PostgresError) {
            try execute("ROLLBACK")
        } catch {
            // The server rolls back by itself when the connection ends.
            close()
        }
    }
}
