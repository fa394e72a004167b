import PostgresClient
import Waits

/// Locks on tables that servers work with.
extension Migrator {
    /// How long a migration waits for one lock. Whoever comes behind it waits as long: those who load users, and the
    /// projectors.
    private static let lockMilliseconds = 100
    /// Between two attempts.
    private static let pauseSeconds = 0.5
    /// Every so many attempts it is told that the lock is still waited for: every 12 s.
    private static let attemptsPerReport = 20

    /// Runs `body` in a transaction, with nobody else who migrates, once it gets each lock that it asks for within a
    /// moment.
    ///
    /// A table that is altered is locked against all who read it, and a request for such a lock that waits, behind a
    /// long query for one, keeps everybody else waiting behind it. So it is given up, with all that the transaction
    /// did, and asked for again.
    /// - Parameter migration: what `body` applies; nil: the grants and views behind the last one.
    func untilLocked<T>(
        _ connection: PostgresConnection, for migration: Migration?, _ body: (PostgresConnection) throws -> T
    ) throws -> T {
        var attempts = 0
        while true {
            do {
                return try connection.transaction { connection in
                    _ = try connection.query(Queries.lockMigrations)
                    _ = try connection.query(Queries.boundLockWaits, [.text("\(Self.lockMilliseconds)ms")])
                    return try body(connection)
                }
            } catch let error as PostgresError where error.kind == .lockNotAvailable {
                if attempts % Self.attemptsPerReport == 0 { report(.locked(migration)) }
                attempts += 1
                Deadline.after(seconds: Self.pauseSeconds).sleep()
            }
        }
    }
}
