import EventStore
import FocusCore
import PostgresClient
import Programs

/// Refuses users of whom the log has no events. To most questions the answer for such a user equals that for a user
/// without rows, so a misspelt id would look like success.
enum KnownUser {
    static func check(_ user: UserID, in log: LogIdentity, on connection: PostgresConnection) throws {
        let head = try StateReader().head(of: user, in: log.partition(of: user), on: connection)
        guard head > .zero else { throw failure(user) }
    }

    static func failure(_ user: UserID) -> CommandFailure {
        CommandFailure("The log has no events of user \(user).")
    }
}
