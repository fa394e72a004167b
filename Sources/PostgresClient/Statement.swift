/// One SQL statement and the name it is prepared under; for statements of `Schema/queries` the file's name.
public struct Statement: Sendable, Hashable {
    /// Unique in the program: a connection keeps one server-side plan per name.
    public let name: String
    /// Exactly one statement, with parameters `$1`…; its types are those of the values given (see `PostgresValue`).
    public let sql: String

    public init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }
}
