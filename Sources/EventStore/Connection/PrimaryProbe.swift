import PostgresClient

/// Asks the PostgreSQL server behind a connection whether it still writes the log. Confined to the thread that uses it.
///
/// A server that was cut off while its standby was promoted answers every question as before. Where commits wait for a
/// synchronous standby, it can no longer commit.
public final class PrimaryProbe {
    /// How long a commit is waited for. One that takes longer proves nothing any more when it succeeds (rule A3), and
    /// while the standby is away a new attempt shows again and again that PostgreSQL itself answers.
    private static let commitLimit = Duration.seconds(1)
    /// After so many commits in a row that no standby has confirmed, about half a minute, the connection is closed: a new
    /// one may find another primary.
    private static let unconfirmedLimit = 20

    private let configuration: StoreConfiguration
    private var unconfirmed = 0
    private var current: PostgresConnection?

    public init(_ configuration: StoreConfiguration) { self.configuration = configuration.named("focusd-heartbeat") }

    public func close() {
        current?.close()
        current = nil
    }

    /// Returns when a commit that waits for the standby has succeeded: the server was the primary after the call began.
    /// Throws when none has within a second.
    /// - Parameter willWait: called before the commit. Its argument has the commit cancelled, from any thread, and does not
    ///   wait for that; nothing depends on the commit.
    /// - Returns: false where commits wait for no standby, so that nothing is proved.
    public func prove(willWait: (@escaping @Sendable () -> Void) -> Void) throws -> Bool {
        do {
            let connection = try current ?? configuration.connect()
            current = connection
            guard try connection.query(Queries.readStandbySetting, []).bool(row: 0, column: 0) else { return false }
            let cancellation = connection.cancellation
            willWait { cancellation.request() }
            let end = ContinuousClock.now + Self.commitLimit
            connection.whileWaiting = { if ContinuousClock.now >= end { cancellation.request() } }
            defer { connection.whileWaiting = nil }
            _ = try connection.query(Queries.commitPulse)
            unconfirmed = 0
            return true
        } catch let error as PostgresError where error.kind == .replicationUnconfirmed {
            unconfirmed += 1
            if unconfirmed % Self.unconfirmedLimit == 0 { close() }
            throw error
        } catch {
            // The commit would otherwise wait on for its standby, one after the other, until no connection is left.
            if let current, current.isAbandoned { current.cancellation.request() }
            close()
            throw error
        }
    }
}
