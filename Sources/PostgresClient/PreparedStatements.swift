import CLibPQ

/// Which statements the connection has prepared, and with which parameter types.
///
/// A statement is prepared under its own name with the types of its first values. If later values have another type
/// (mostly a first NULL whose type the server had to infer), it is prepared once more under `name.2`, `name.3`, …: at
/// most once per parameter that was NULL before, because types once known are kept.
struct PreparedStatements {
    struct Entry {
        let sql: String
        let serverName: String
        let types: [Oid]
        let revision: Int
    }

    private var entries: [String: Entry] = [:]

    /// The prepared form that takes `values`, or nil.
    func entry(for statement: Statement, values: [PostgresValue]) -> Entry? {
        guard let entry = entries[statement.name], entry.types.count == values.count, entry.sql == statement.sql
        else { return nil }
        for (type, value) in zip(entry.types, values) where type != value.type && !value.isNull { return nil }
        return entry
    }

    /// What to prepare next for `types`; not remembered until `insert`.
    func next(for statement: Statement, types: [Oid]) -> Entry {
        guard let old = entries[statement.name] else {
            return Entry(sql: statement.sql, serverName: statement.name, types: types, revision: 1)
        }
        let isSame = old.types.count == types.count && old.sql == statement.sql
        let merged = isSame ? zip(old.types, types).map { $1 == TypeOID.inferred ? $0 : $1 } : types
        let revision = old.revision + 1
        return Entry(
            sql: statement.sql, serverName: "\(statement.name).\(revision)", types: merged, revision: revision)
    }

    mutating func insert(_ entry: Entry, for statement: Statement) { entries[statement.name] = entry }

    /// Forgets a plan that the server lost or refused. The next form gets a new name, since the old one may still
    /// exist.
    mutating func forget(_ statement: Statement) {
        guard let old = entries[statement.name] else { return }
        entries[statement.name] = Entry(sql: "", serverName: old.serverName, types: [], revision: old.revision)
    }
}
