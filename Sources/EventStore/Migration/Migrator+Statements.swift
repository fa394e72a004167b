import PostgresClient
import Waits

extension Migrator {
    /// Applies a migration that runs outside of a transaction: its statements one by one, then the record of it.
    ///
    /// Whatever cuts it off leaves it unrecorded, and the next migrator begins with the first statement again. The
    /// statements are written to be repeated: a failed build leaves an invalid index, which the one before it drops.
    /// - Returns: false when another migrator has just applied it.
    func apply(_ migration: Migration, _ statements: [String], on connection: PostgresConnection) throws -> Bool {
        guard connection.configuration.usesPreparedStatements else { throw MigrationError.needsSession(migration) }
        try waitForTurn(migration, on: connection)
        // It is unlocked explicitly: the next migrator would otherwise wait until the server has noticed that this
        // session is closed.
        defer { _ = try? connection.query(Queries.unlockStatements) }
        guard try pending(on: connection).first == migration else { return false }
        for (index, statement) in statements.enumerated() {
            report(.statement(migration, number: index + 1, of: statements.count))
            let watch = try IndexBuildWatch(of: connection.backendPID, connection.configuration) { [report] step in
                report(.building(migration, phase: step.phase, percent: step.percent))
            }
            defer { watch.stop() }
            try connection.execute(statement)
        }
        try record(migration, on: connection)
        return true
    }

    /// Waits for the lock without a statement that waits (`lock_statements.sql` says why). The session that holds it is
    /// the one that runs the statements: PostgreSQL goes on with a statement whose client is gone, and keeps the lock
    /// for as long.
    private func waitForTurn(_ migration: Migration, on connection: PostgresConnection) throws {
        var isReported = false
        while try !connection.query(Queries.lockStatements).bool(row: 0, column: 0) {
            if !isReported { report(.waiting(migration)) }
            isReported = true
            Deadline.after(seconds: 0.2).sleep()
        }
    }
}
