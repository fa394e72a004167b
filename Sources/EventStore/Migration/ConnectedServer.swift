import FocusCore
import PostgresClient

/// A server that is connected to the log's database, as PostgreSQL shows it: by the connection on which it hears of
/// other servers' appends.
public struct ConnectedServer: Hashable, Sendable {
    /// What PostgreSQL shows of the connections for hints of this program's servers. It names how many migrations they
    /// know; those of earlier programs name nothing.
    public static let applicationName = "\(prefix)/\(Migrations.all.count)"
    private static let prefix = "focusd-hints"

    /// The address that it connects from; empty: a socket of the database's machine.
    public var address: String
    /// When the connection was made.
    public var connectedAt: Timestamp
    /// How many migrations it knows; nil: it does not say, so it is of the last release or an earlier one.
    public var migrations: Int?

    /// Whether it is of an earlier program than this one.
    public var isEarlier: Bool { migrations.map { $0 < Migrations.all.count } ?? true }

    /// Those of the database, the earliest programs first. None is seen through a pooler.
    public static func all(on connection: PostgresConnection) throws -> [ConnectedServer] {
        let result = try connection.query(Queries.readServers)
        return try (0..<result.rowCount).map { row in
            ConnectedServer(
                address: try result.text(row: row, column: 1),
                connectedAt: Timestamp(microseconds: try result.timestamptz(row: row, column: 2)),
                migrations: Int(try result.text(row: row, column: 0).dropFirst(prefix.count + 1)))
        }
    }
}

extension ConnectedServer: CustomStringConvertible {
    public var description: String {
        "\(isEarlier ? "a server of an earlier version" : "a server of this version or a later one") at "
            + "\(address.isEmpty ? "the database's machine" : address), connected \(connectedAt.rfc3339)"
    }
}
