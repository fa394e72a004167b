import PostgresClient

extension StoreConfiguration {
    /// A new connection that may do what the server's role may, and no more.
    /// - Parameter whileWaiting: see `PostgresConnection.whileWaiting`.
    func connect(whileWaiting: (() -> Void)? = nil) throws(PostgresError) -> PostgresConnection {
        let connection = try PostgresConnection(postgres, whileWaiting: whileWaiting)
        if sharesProcessors { connection.takeSliceOfThread() }
        if assumesRole { try SessionRole.assume(on: connection) }
        return connection
    }
}
