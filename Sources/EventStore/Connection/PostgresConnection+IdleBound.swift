import PostgresClient

extension PostgresConnection {
    /// The first request of a transaction that holds a partition or its projection for more than one statement. When the
    /// client says nothing for ten seconds, because it stands still or its machine is gone, PostgreSQL ends the
    /// transaction and gives its locks to others. Without this bound it would hold them for hours. A client that works
    /// compares users or encodes rows between two statements, which takes far less.
    static let idleBound: (Statement, [PostgresValue]) = (Queries.boundIdleTime, [.text("10s")])
}
