import ArgumentParser
import EventStore
import Foundation
import PostgresClient

/// Which log a command reads: a server of the operator's, or focusd's own PostgreSQL while it runs.
struct DatabaseOptions: ParsableArguments {
    @Option(help: "The PostgreSQL server: postgres://user@host/database.")
    var database: String?
    @Option(help: "Data directory of a running focusd, to reach its own PostgreSQL. Default: focusd's own default.")
    var dataDir: String?

    func validate() throws {
        if database != nil, dataDir != nil { throw ValidationError("Either --database or --data-dir.") }
    }

    /// - Parameter applicationName: shown in `pg_stat_activity`.
    func configuration(_ applicationName: String) throws -> PostgresConfiguration {
        PostgresConfiguration(
            conninfo: try database ?? embeddedConninfo(dataDir ?? EmbeddedCluster.defaultDataDirectory),
            applicationName: applicationName)
    }

    /// From `postmaster.pid`, which PostgreSQL keeps as long as it runs ("Database File Layout"): process, directory,
    /// start time, port, socket directory.
    private func embeddedConninfo(_ directory: String) throws -> String {
        let file = directory + "/postgres/postmaster.pid"
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw CommandFailure(
                "No PostgreSQL runs in \(directory) (\(file) cannot be read). Start focusd, run focusctl as the same "
                    + "user, or give --data-dir or --database.")
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 4, let port = Int(lines[3]) else {
            throw CommandFailure("PostgreSQL in \(directory) is just starting. Try again.")
        }
        return "host=\(lines[4]) port=\(port) user=\(EmbeddedCluster.role) dbname=\(EmbeddedCluster.database)"
    }
}
