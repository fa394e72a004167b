import PostgresClient
import Waits

/// Locks on tables and views that servers and analysts work with.
extension PostgresConnection {
    /// How long one lock is waited for. Whoever comes behind waits as long: those who load users, projectors, analysts.
    private static let lockMilliseconds = 100
    /// Between two attempts.
    private static let pauseSeconds = 0.5
    /// Every so many attempts it is told that a lock is still not to be had: every 12 s.
    private static let attemptsPerReport = 20

    /// Runs `body` in a transaction once it gets each lock that it asks for within a moment.
    ///
    /// A table that is altered, or a view that is replaced, is locked against all who read it, and a request for such a
    /// lock that waits, behind a long query for one, keeps everybody else waiting behind it. So it is given up, with all
    /// that the transaction did, and asked for again.
    /// - Parameters:
    ///   - first: what the transaction begins with; its locks are waited for as long as that takes.
    ///   - refused: hears now and then that a lock is still not to be had.
    func lockingBriefly<T>(
        first: (PostgresConnection) throws -> Void = { _ in }, refused: () -> Void,
        _ body: (PostgresConnection) throws -> T
    ) throws -> T {
        var attempts = 0
        while true {
            do {
                return try transaction { connection in
                    try first(connection)
                    _ = try connection.query(Queries.boundLockWaits, [.text("\(Self.lockMilliseconds)ms")])
                    return try body(connection)
                }
            } catch let error as PostgresError where error.kind == .lockNotAvailable {
                if attempts % Self.attemptsPerReport == 0 { refused() }
                attempts += 1
                Deadline.after(seconds: Self.pauseSeconds).sleep()
            }
        }
    }
}
