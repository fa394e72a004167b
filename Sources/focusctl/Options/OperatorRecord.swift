import EventStore
import FocusCore
import Foundation
import PostgresClient
import Programs

/// Records in the log's database that an operator looks at people's data (table `operator_actions`).
///
/// A reading is never refused because it cannot be recorded: a log that is damaged or takes no writes is looked at
/// because of that. Then the operator is told that nothing was recorded.
enum OperatorRecord {
    /// - Parameter users: whose data; nil: everybody's.
    static func note(_ command: String, of users: [UserID]?, _ configuration: PostgresConfiguration) {
        do {
            // A connection of its own: whatever becomes of it, the reading goes on.
            let connection = try PostgresConnection(configuration)
            defer { connection.close() }
            try OperatorAction(operatingSystemUser: who, command: command, users: users).record(on: connection)
        } catch {
            Terminal.complain("This reading is not recorded in operator_actions: \(error)")
        }
    }

    /// `olga`; `root (sudo olga)` where somebody became another user by sudo.
    private static var who: String {
        let own = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(getuid())"
        let name = ProcessInfo.processInfo.environment["SUDO_USER"].map { "\(own) (sudo \($0))" } ?? own
        return String(name.prefix(64))
    }
}
