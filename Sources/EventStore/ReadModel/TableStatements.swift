import FocusCore
import PostgresClient

/// What puts rows into a table of the read model, and takes them out. `ops/generate` makes them of `upsert_<table>.sql`.
struct TableStatements: Sendable {
    /// Puts rows in, and replaces those that are there.
    let upsert: Statement
    /// Inserts rows that the table must not have: one that it has is a unique violation. It looks each key up once where
    /// `upsert` does so twice: 5.5 instead of 9 µs a row of notifications.
    let insert: Statement
    /// Copies rows in that the table must not have, as a binary stream.
    let copy: Statement
    /// Takes rows out for good: tombstones that the fold dropped, chunks that it merged.
    let delete: Statement
    /// Columns whose type is made of text by a cast in `upsert`, by the number of their parameter there: a binary COPY
    /// casts nothing.
    let casts: [Int: CastColumn]
}

extension RowCollection {
    /// Those of this collection's table.
    var statements: TableStatements {
        guard let found = Queries.tables[rawValue] else { preconditionFailure("no upsert_\(rawValue).sql") }
        return found
    }
}
