import ArgumentParser
import EventStore
import PostgresClient

/// Which log a command reads: that of a PostgreSQL server of the operator, or of focusd's own PostgreSQL while it runs.
package struct DatabaseOptions: ParsableArguments {
    @Option(help: "The PostgreSQL server: postgres://user@host/database.")
    package var database: String?
    @Option(help: "Data directory of a running focusd, to reach its own PostgreSQL. Default: focusd's own default.")
    package var dataDir: String?

    package init() {}

    package func validate() throws {
        if database != nil, dataDir != nil { throw ValidationError("Either --database or --data-dir.") }
    }

    /// - Parameter applicationName: shown in `pg_stat_activity`.
    package func configuration(_ applicationName: String) throws -> PostgresConfiguration {
        PostgresConfiguration(
            conninfo: try database ?? Self.running(in: dataDir ?? EmbeddedCluster.defaultDataDirectory).conninfo,
            applicationName: applicationName)
    }

    /// The data directory of focusd's own PostgreSQL; nil: the log is on a server of the operator.
    package var embeddedDirectory: String? {
        database == nil ? dataDir ?? EmbeddedCluster.defaultDataDirectory : nil
    }

    /// focusd's own PostgreSQL, which runs; nil: the log is on a server of the operator. Throws `CommandFailure` when
    /// it does not run.
    package var running: EmbeddedCluster.Running? {
        get throws { try embeddedDirectory.map { try Self.running(in: $0) } }
    }

    private static func running(in directory: String) throws -> EmbeddedCluster.Running {
        guard let running = try EmbeddedCluster.running(dataDirectory: directory) else {
            throw CommandFailure(
                "No PostgreSQL runs in \(directory). Start focusd, run this as the same user, or give --data-dir or "
                    + "--database.")
        }
        return running
    }
}
