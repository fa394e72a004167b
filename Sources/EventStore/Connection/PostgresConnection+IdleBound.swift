import PostgresClient

extension PostgresConnection {
    /// The first request of a transaction that holds a partition or its projection for more than one statement. Where
    /// the client stands still, or its machine is gone, PostgreSQL ends the transaction after so long, and its locks with
    /// it; it would notice by itself after hours, or never. Between two statements users are compared or rows encoded,
    /// which takes far less.
    static let idleBound: (Statement, [PostgresValue]) = (Queries.boundIdleTime, [.text("10s")])
}
