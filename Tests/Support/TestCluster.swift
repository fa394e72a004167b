import EventStore
import Foundation
import PostgresClient
import Synchronization

/// A private cluster for all database tests of one process: started at first use, removed at exit.
///
/// A run that is killed leaves a server and a directory behind; the next run finds and removes them.
public final class TestCluster: Sendable {
    /// Starting takes about two seconds. Without an installed PostgreSQL the process ends here with the reason.
    public static let shared: TestCluster = {
        do {
            return try TestCluster()
        } catch {
            fatalError("the test cluster does not start: \(error)")
        }
    }()

    public let cluster: EmbeddedCluster
    private let directory: String
    private let nextName = Atomic<Int>(1)
    // A lock rather than a `Mutex`: ThreadSanitizer does not see the hand-over when threads wait in the kernel.
    private let templatesLock = NSLock()
    // nonisolated(unsafe): accessed only under `templatesLock`.
    private nonisolated(unsafe) var templates: [String: String] = [:]

    private init() throws {
        let root = try TestDirectory.root()
        TestDirectory.removeAbandoned(in: root)
        directory = try TestDirectory.make()
        var settings = EmbeddedClusterSettings()
        settings.isDurable = false
        // The server is killed at the end instead of shut down, which would write hundreds of databases that nobody
        // reads again.
        settings.stopTimeout = .zero
        settings.overrides = [
            "max_connections": "600", "shared_buffers": "64MB", "max_wal_size": "1GB",
            // Over hundreds of databases, autovacuum would run all the time and bring locks, snapshots and statistics
            // that no test asks for. Clusters that programs under test start themselves keep it on.
            "autovacuum": "off",
        ]
        cluster = try EmbeddedCluster.start(dataDirectory: directory, settings: settings)
        atexit { TestCluster.shared.remove() }
    }

    private func remove() {
        try? cluster.stop()
        TestDirectory.discard(directory)
    }

    /// The superuser's conninfo for an existing database. Tests only read from `focusd`.
    public func conninfo(database: String = "focusd") -> String {
        // Takes precedence over the timeout that programs set themselves: connecting must not fail when the machine
        // stalls for a while.
        "connect_timeout=60 " + cluster.conninfo(database: database)
    }

    /// A fresh database for one test: empty, or a copy of `template`.
    /// - Returns: the superuser's conninfo.
    public func makeDatabase(template: String? = nil) throws -> String {
        let name = "test_\(nextName.wrappingAdd(1, ordering: .relaxed).oldValue)"
        // Copies files instead of logging pages, because nobody replays this cluster's WAL.
        try whenUnused("CREATE DATABASE \(name) TEMPLATE \(template ?? "template0") STRATEGY file_copy")
        return conninfo(database: name)
    }

    /// Runs a command that needs a database without sessions. Closing a connection does not wait for the server process
    /// to end, and PostgreSQL itself waits only 5 s for it, so the command is tried again.
    private func whenUnused(_ command: String) throws {
        let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo()))
        defer { connection.close() }
        try eventually("nobody is connected: \(command)") {
            do throws(PostgresError) {
                try connection.execute(command)
                return true
            } catch {
                guard error.sqlState == "55006" else { throw error }
                return false
            }
        }
    }

    /// A copy of a database that is prepared once in this process.
    /// - Parameters:
    ///   - name: lower-case letters and underscores; names the template for `makeDatabase(template:)`.
    ///   - prepare: gets the conninfo of an empty database, and closes its own connections.
    /// - Returns: the conninfo of a fresh copy.
    public func makeDatabase(from name: String, prepare: (String) throws -> Void) throws -> String {
        let template = try templatesLock.withLock {
            if let template = templates[name] { return template }
            let conninfo = try makeDatabase()
            try prepare(conninfo)
            let made = "template_\(name)"
            let database = conninfo.split(separator: "'").last.map(String.init) ?? ""
            try whenUnused("ALTER DATABASE \(database) RENAME TO \(made)")
            templates[name] = made
            return made
        }
        return try makeDatabase(template: template)
    }
}
