import PostgresClient

extension Migrator {
    /// Runs `body` in a transaction, with nobody else who migrates, once it gets each lock that it asks for within a
    /// moment.
    /// - Parameter migration: what `body` applies; nil: the grants and views behind the last one.
    func untilLocked<T>(
        _ connection: PostgresConnection, for migration: Migration?, _ body: (PostgresConnection) throws -> T
    ) throws -> T {
        try connection.lockingBriefly(
            first: { _ = try $0.query(Queries.lockMigrations) }, refused: { report(.locked(migration)) }, body)
    }
}
