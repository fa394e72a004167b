import PostgresClient

/// One build of the read model, in a schema of its own.
struct Generation: Hashable, Sendable {
    /// The generation that the queries in `Schema/` name.
    static let first = Generation(1)

    let number: Int32

    init(_ number: Int32) { self.number = number }

    /// A statement over this generation's tables.
    func statement(_ statement: Statement) -> Statement {
        guard self != .first else { return statement }
        return Statement(
            name: "\(statement.name)_\(number)",
            sql: statement.sql.replacing("read_1.", with: "read_\(number)."))
    }
}
