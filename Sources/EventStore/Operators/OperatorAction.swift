import FocusCore
import Foundation
import PostgresClient

/// That somebody looked at people's data by a command, for the table `operator_actions`. It says who, when, by which
/// command and whose; nothing of what was asked and answered.
public struct OperatorAction: Hashable, Sendable {
    /// The user of the operating system, as the program knows it.
    public var operatingSystemUser: String
    /// The command, at most 64 bytes.
    public var command: String
    /// Whose data; nil: everybody's.
    public var users: [UserID]?

    public init(operatingSystemUser: String, command: String, users: [UserID]?) {
        (self.operatingSystemUser, self.command, self.users) = (operatingSystemUser, command, users)
    }

    /// Records it, as the role that is connected. Throws `PostgresError` when the database takes no writes, is of an
    /// earlier version, or the role may not record.
    public func record(on connection: PostgresConnection) throws(PostgresError) {
        let whose = users.map { PostgresValue.uuidArray($0.map(\.uuid)) } ?? .null
        _ = try connection.query(Queries.recordOperatorAction, [.text(operatingSystemUser), .text(command), whose])
    }
}
