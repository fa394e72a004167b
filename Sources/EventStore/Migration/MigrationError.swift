/// Why a database is not migrated. Each description says what to do.
public enum MigrationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The database has seen migrations that this program does not know.
    case databaseIsNewer(database: Int, program: Int)
    /// The database saw another text of this migration than this program has.
    case changed(Migration)
    /// The format of the log cannot be raised before every migration is applied.
    case notMigrated
    /// The format of the log cannot be raised while servers are connected that cannot read it then.
    case earlierServers([ConnectedServer])
    /// The database misses a migration although it has seen a later one.
    case missing(Migration)
    /// The migration's statements run outside of a transaction, in the session that holds a lock. A pooler in
    /// transaction mode would give them to other sessions.
    case needsSession(Migration)
    /// Text must be stored as UTF-8.
    case notUTF8(encoding: String)
    /// The connecting role may not make the role that the server acts as.
    case roleNotAllowed(role: String)

    public var description: String {
        switch self {
        case .databaseIsNewer(let database, let program):
            """
            The database is at migration \(database), this program knows only \(program): a newer focusd migrated it. \
            Start that version or a newer one; nothing was changed.
            """
        case .changed(let migration):
            """
            Migration \(migration) is not the one that this database has seen: its text was edited after it was \
            applied, or this is another program's database. Nothing was changed.
            """
        case .notMigrated:
            "The database lacks migrations of this program. Run `focusctl migrate` first; nothing was changed."
        case .earlierServers(let servers):
            """
            Servers of an earlier version work on the log, and could not read it any more: \
            \(servers.map(\.description).joined(separator: "; ")). Replace them first; the log keeps its format.
            """
        case .missing(let migration):
            """
            The database has seen later migrations but not \(migration). Its table schema_migrations was changed by \
            hand, or a restore is incomplete. Nothing was changed.
            """
        case .needsSession(let migration):
            """
            Migration \(migration) runs outside of a transaction, which cannot be done through a pooler. Run \
            `focusctl migrate --database` with the database itself, then start again.
            """
        case .notUTF8(let encoding):
            "The database stores text as \(encoding). Create one with ENCODING 'UTF8' and use that."
        case .roleNotAllowed(let role):
            """
            The role \(role) is missing and the connecting role may not create it. As a superuser run \
            CREATE ROLE "\(role)" NOLOGIN; GRANT "\(role)" TO <the connecting role>; then start again.
            """
        }
    }
}
