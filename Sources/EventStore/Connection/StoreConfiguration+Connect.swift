import PostgresClient

extension StoreConfiguration {
    /// A new connection that may do what the server's role may, and no more.
    func connect() throws(PostgresError) -> PostgresConnection {
        let connection = try PostgresConnection(postgres)
        if assumesRole { try SessionRole.assume(on: connection) }
        return connection
    }
}
