import PostgresClient

extension PostgresConnection {
    /// Runs SQL as a statement that is named by its own text, because tests do not care about statement names.
    @discardableResult
    public func run(_ sql: String, _ values: PostgresValue...) throws(PostgresError) -> PostgresResult {
        try query(Statement(name: sql, sql: sql), values)
    }
}
