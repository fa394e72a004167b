import EventStore
import Foundation
import PostgresClient
import Synchronization

/// One private cluster for all database tests of a process: made at first use, gone at exit.
///
/// Killed runs leave a server and a directory behind; the next run finds and removes them.
public final class TestCluster: Sendable {
    /// Starting it takes about two seconds; without PostgreSQL installed, tests stop here with the reason.
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
    // Not `Mutex`: where threads wait for it in the kernel, ThreadSanitizer does not see the hand-over.
    private let templatesLock = NSLock()
    // nonisolated(unsafe): only touched under `templatesLock`.
    private nonisolated(unsafe) var templates: [String: String] = [:]

    private init() throws {
        let root = try TestDirectory.root()
        TestDirectory.removeAbandoned(in: root)
        directory = try TestDirectory.make()
        var settings = EmbeddedClusterSettings()
        settings.isDurable = false
        // Nobody reads it again: at the end it is killed rather than shut down, which would write hundreds of databases.
        settings.stopTimeout = .zero
        settings.overrides = [
            "max_connections": "600", "shared_buffers": "64MB", "max_wal_size": "1GB",
            // With hundreds of databases it would come by somewhere all the time: locks, snapshots and statistics that no
            // test asked for. The clusters that programs under test run for themselves have it.
            "autovacuum": "off",
        ]
        cluster = try EmbeddedCluster.start(dataDirectory: directory, settings: settings)
        atexit { TestCluster.shared.remove() }
    }

    private func remove() {
        try? cluster.stop()
        TestDirectory.discard(directory)
    }

    /// The superuser in a database that exists; tests keep out of `focusd` but for looking.
    public func conninfo(database: String = "focusd") -> String {
        // Ours wins over what programs set for themselves: a machine that stands still for a while refuses nobody.
        "connect_timeout=60 " + cluster.conninfo(database: database)
    }

    /// A fresh database for one test: an empty one, or a copy of `template`.
    /// - Returns: conninfo of the superuser.
    public func makeDatabase(template: String? = nil) throws -> String {
        let name = "test_\(nextName.wrappingAdd(1, ordering: .relaxed).oldValue)"
        // Copying files instead of logging pages: nobody replays this cluster.
        try whenUnused("CREATE DATABASE \(name) TEMPLATE \(template ?? "template0") STRATEGY file_copy")
        return conninfo(database: name)
    }

    /// Runs a command that wants a database without sessions. Those that were closed go in their own time: closing does
    /// not wait for the server's process, and PostgreSQL waits for it 5 s only.
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

    /// A database that is prepared once in this process and then copied for each test.
    /// - Parameters:
    ///   - name: lower-case letters and underscores; names the template for `makeDatabase(template:)`.
    ///   - prepare: gets the conninfo of an empty database and closes its connections.
    /// - Returns: conninfo of a fresh copy.
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
