import FocusCore
import PostgresClient

/// One of PostgreSQL's histories: the name of its timeline, and when the server that writes it was started. A standby
/// that is promoted begins another one: what the old primary flushed and the standby did not get is gone, though the log
/// may have lost nothing. The same holds for an older copy of a server's files that is put in their place.
public struct Timeline: Hashable, Sendable {
    public var name: String

    public init(name: String) { self.name = name }
}

extension LogReader {
    /// The timeline that the server writes; its name is empty on a standby, which writes none.
    public func timeline(on connection: PostgresConnection) throws(PostgresError) -> Timeline {
        Timeline(name: try connection.query(Queries.readTimeline).text(row: 0, column: 0))
    }
}
