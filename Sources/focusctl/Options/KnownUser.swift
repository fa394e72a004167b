import EventStore
import FocusCore
import PostgresClient

/// Refuses users whom the log has nothing of: to most questions nobody has the answer of somebody with no rows, and a
/// misspelt id would pass for success.
enum KnownUser {
    static func check(_ user: UserID, in log: LogIdentity, on connection: PostgresConnection) throws {
        let head = try StateReader().head(of: user, in: log.partition(of: user), on: connection)
        guard head > .zero else { throw failure(user) }
    }

    static func failure(_ user: UserID) -> CommandFailure {
        CommandFailure("The log has no events of user \(user).")
    }
}
