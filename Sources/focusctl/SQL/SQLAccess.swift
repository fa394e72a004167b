import EventStore
import FocusCore
import Foundation
import PostgresClient
import Programs

/// How a person's own SQL reaches the log: as the role that only reads, or as its owner.
struct SQLAccess {
    /// In keyword form or as a URL, without a password.
    let conninfo: String
    /// What PostgreSQL is to set for the session.
    let settings: [(name: String, value: String)]
    let password: String?
    let database: LogDatabase

    /// Throws `CommandFailure` when there is no role that only reads; `EventStoreError.noLog`, `PostgresError`.
    init(_ source: DatabaseOptions, asOwner: Bool) throws {
        let configuration = try source.configuration("focusctl-psql")
        let connection = try PostgresConnection(configuration)
        defer { connection.close() }
        database = try LogDatabase.read(on: connection)
        let parts = try PostgresConfiguration.separatingPassword(configuration.conninfo)
        password = parts.password
        guard !asOwner else {
            (conninfo, settings) = (parts.conninfo, [])
            return
        }
        guard let role = database.readerRole else {
            throw CommandFailure(
                "There is no role that only reads: its owner could make none. As somebody who may, CREATE ROLE "
                    + "focusd_read_\(database.name), then run focusctl migrate; or give --owner.")
        }
        if database.readerLogsIn, let running = try source.running {
            // Nothing leads from this role to another one.
            (conninfo, settings) = (running.conninfo(role: role), [])
        } else {
            let own = [("role", role), ("default_transaction_read_only", "on"), ("search_path", "read,public")]
            (conninfo, settings) = (parts.conninfo, database.role == role ? [] : own.map { ($0, $1) })
        }
    }

    /// The settings as `PGOPTIONS` has them; nil: there are none.
    var options: String? {
        guard !settings.isEmpty else { return nil }
        return settings.map { setting in
            "-c \(setting.name)=\(setting.value.replacing("\\", with: "\\\\").replacing(" ", with: "\\ "))"
        }.joined(separator: " ")
    }
}
