import PostgresClient

/// The role that the server works as: it may append to the log and read it, and owns nothing.
///
/// The server connects as the owner to migrate; every other connection gives that up at once. Through a pooler in
/// transaction mode a session cannot keep a role: connect as a login role of one's own that has the same grants.
public enum SessionRole {
    /// To be executed once, right after a connection was made.
    public static let script = Queries.assumeAppRole.sql

    /// Gives up what the connecting role may do beyond the server's role. Needs a migrated database.
    public static func assume(on connection: PostgresConnection) throws(PostgresError) {
        try connection.execute(script)
    }
}
