import PostgresClient

/// The role that the server works as: it may append to the log and read it, and owns nothing.
///
/// The server connects as the owner to migrate; every other connection gives the owner's rights up at once. Through a
/// pooler in transaction mode a session cannot keep a role, and must not: the next client that gets the session would
/// have it. There every transaction assumes the role for itself.
public enum SessionRole {
    /// To be executed once, right after a connection was made.
    public static let script = Queries.assumeAppRole.sql

    /// Assumes the role for one transaction, with its `synchronous_commit`; nil leaves that as it is set.
    public static func prologue(synchronousCommit: String? = nil) -> Prologue {
        Prologue(Queries.assumeAppRoleOnce, [synchronousCommit.map { .text($0) } ?? .null])
    }

    /// Gives up what the connecting role may do beyond the server's role. Needs a migrated database.
    public static func assume(on connection: PostgresConnection) throws(PostgresError) {
        try connection.execute(script)
    }
}
