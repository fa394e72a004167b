import FocusCore
import PostgresClient

/// One of PostgreSQL's histories, by the name of its timeline. A standby that takes over begins another: what was
/// flushed on the server before it, and did not reach it, is gone, though the log may have lost nothing.
public struct Timeline: Hashable, Sendable {
    public var name: String

    public init(name: String) { self.name = name }
}

extension LogReader {
    /// The one that is written to; without a name on a standby.
    public func timeline(on connection: PostgresConnection) throws(PostgresError) -> Timeline {
        Timeline(name: try connection.query(Queries.readTimeline).text(row: 0, column: 0))
    }
}
