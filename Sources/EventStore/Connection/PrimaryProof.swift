import PostgresClient

/// Whether the PostgreSQL server behind a connection is still the one that writes the log.
///
/// One that was cut off from everybody, while its standby took over, answers every question as before. Where commits
/// wait for a synchronous standby it cannot commit any more, and that shows.
public struct PrimaryProof: Sendable {
    public init() {}

    /// Returns when a commit that waits for the standby has succeeded, so that it was the primary after the call began.
    /// - Parameter willWait: called before the commit, which may wait for as long as the standby is away.
    /// - Returns: false where commits wait for none: nothing is proved.
    public func seek(
        on connection: PostgresConnection, willWait: () -> Void
    ) throws(PostgresError) -> Bool {
        let waits = try connection.query(Queries.readStandbySetting, []).bool(row: 0, column: 0)
        guard waits else { return false }
        willWait()
        _ = try connection.query(Queries.commitPulse)
        return true
    }
}
