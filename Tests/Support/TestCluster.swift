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
        settings.overrides = ["max_connections": "600", "shared_buffers": "64MB", "max_wal_size": "1GB"]
        cluster = try EmbeddedCluster.start(dataDirectory: directory, settings: settings)
        atexit { TestCluster.shared.remove() }
    }

    private func remove() {
        try? cluster.stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The superuser in a database that exists; tests keep out of `focusd` but for looking.
    public func conninfo(database: String = "focusd") -> String { cluster.conninfo(database: database) }

    /// A fresh database for one test: an empty one, or a copy of `template`.
    /// - Returns: conninfo of the superuser.
    public func makeDatabase(template: String? = nil) throws -> String {
        let name = "test_\(nextName.wrappingAdd(1, ordering: .relaxed).oldValue)"
        let connection = try PostgresConnection(PostgresConfiguration(conninfo: cluster.conninfo))
        // Copying files instead of logging pages: nobody replays this cluster.
        try connection.execute("CREATE DATABASE \(name) TEMPLATE \(template ?? "template0") STRATEGY file_copy")
        return cluster.conninfo(database: name)
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
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: cluster.conninfo))
            let database = conninfo.split(separator: "'").last.map(String.init) ?? ""
            try connection.execute("ALTER DATABASE \(database) RENAME TO \(made)")
            templates[name] = made
            return made
        }
        return try makeDatabase(template: template)
    }
}
