import EventStore
import Foundation
import PostgresClient
import Support
import Testing

/// A cluster for a single test, removed with this object. It is small, and without fsync unless the test asks for it.
final class OwnCluster {
    let directory: String
    private let root: String
    var settings = EmbeddedClusterSettings()

    init(_ suffix: String = "") throws {
        root = try TestDirectory.make()
        directory = root + suffix
        settings.isDurable = false
        // On a loaded machine a shutdown may take long; running into the timeout would test something else.
        settings.stopTimeout = .seconds(120)
        settings.overrides = ["shared_buffers": "16MB", "max_connections": "20", "max_wal_size": "256MB"]
    }

    func start() throws -> EmbeddedCluster {
        try EmbeddedCluster.start(dataDirectory: directory, settings: settings)
    }

    deinit {
        settings.stopTimeout = .zero
        try? EmbeddedCluster.stopOrphan(dataDirectory: directory, settings: settings)
        try? FileManager.default.removeItem(atPath: root)
    }
}

extension EmbeddedCluster {
    func connect() throws -> PostgresConnection { try PostgresConnection(PostgresConfiguration(conninfo: conninfo)) }
}

func isAlive(_ pid: pid_t) -> Bool {
    // The `exe` link distinguishes a running process from a zombie, which has no program any more.
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")) != nil
}

@Suite struct EmbeddedClusterTests {
    @Test("a fresh start makes a durable, checksummed UTF-8 cluster in the C locale, without TCP, and data survives")
    func freshStartAndRestart() throws {
        let own = try OwnCluster("/made/at/first/start")
        own.settings.isDurable = true
        let cluster = try own.start()
        let connection = try cluster.connect()
        let expected = [
            "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "data_checksums": "on", "jit": "off",
            "server_encoding": "UTF8", "lc_collate": "C", "listen_addresses": "", "max_connections": "20",
            "log_min_error_statement": "panic", "TimeZone": "UTC",
        ]
        for (name, value) in expected {
            #expect(try connection.run("SHOW \(name)").text(row: 0, column: 0) == value, "\(name)")
        }
        #expect(try connection.run("SELECT current_user::text").text(row: 0, column: 0) == EmbeddedCluster.role)
        try connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        let pid = cluster.postmasterPID
        #expect(getsid(pid) == pid, "Ctrl-C in our terminal must not reach it")
        try cluster.stop()
        try cluster.stop()
        #expect(!isAlive(pid))
        #expect(!cluster.isRunning)

        let again = try own.start()
        #expect(try again.connect().run("SELECT answer FROM kept").int4(row: 0, column: 0) == 42)
        try again.stop()
    }

    @Test("half of the files that the WAL may take are kept to be used again")
    func keptWAL() throws {
        let own = try OwnCluster()
        own.settings.overrides["max_wal_size"] = nil
        let cluster = try own.start()
        let connection = try cluster.connect()
        let megabytes = try ["max_wal_size", "min_wal_size"].map { name in
            let answer = try connection.run("SELECT setting FROM pg_settings WHERE name = '\(name)'")
            return try #require(Int(answer.text(row: 0, column: 0)))
        }
        #expect(megabytes[0] >= 256 && megabytes[0] / 2 == megabytes[1])
    }

    @Test("started as root, the server runs as somebody else, who owns the cluster")
    func unprivileged() throws {
        let own = try OwnCluster()
        let cluster = try own.start()
        var process = stat()
        var files = stat()
        #expect(stat("/proc/\(cluster.postmasterPID)", &process) == 0)
        #expect(stat(own.directory + "/postgres", &files) == 0)
        #expect(process.st_uid != 0)
        #expect(files.st_uid == process.st_uid)
        #expect(files.st_mode & 0o077 == 0)
        if geteuid() != 0 { #expect(process.st_uid == geteuid()) }
        try cluster.stop()
    }

    @Test("a second start on the same directory is told who holds it")
    func secondHolder() throws {
        let own = try OwnCluster()
        let cluster = try own.start()
        let error = try #require(throws: EmbeddedClusterError.self) { _ = try own.start() }
        guard case .alreadyRunning(_, let pid) = error else {
            Issue.record(error)
            return
        }
        #expect(pid == getpid())
        #expect("\(error)".contains("process \(getpid())"))
        #expect(cluster.isRunning)
        try cluster.stop()
        try own.start().stop()
    }

    @Test("a data directory too deep for a socket gets a short private one")
    func deepDirectory() throws {
        let own = try OwnCluster("/" + String(repeating: "deep directory, with a comma/", count: 8) + "end")
        let cluster = try own.start()
        #expect(try cluster.connect().run("SELECT 1").rowCount == 1)
        let socket = String(cluster.conninfo.split(separator: "'")[1])
        #expect(!socket.hasPrefix(own.directory))
        var status = stat()
        #expect(lstat(socket, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        try cluster.stop()
        // The second start must use the same socket directory; otherwise it would not find an orphaned server.
        let again = try own.start()
        #expect(again.conninfo == cluster.conninfo)
        try again.stop()
        rmdir(socket)
    }

    @Test("what the operator writes into custom.conf wins; what the server cannot read is reported with its log")
    func customConfiguration() throws {
        let own = try OwnCluster()
        let custom = URL(fileURLWithPath: own.directory + "/custom.conf")
        try Data("work_mem = 3MB\n".utf8).write(to: custom)
        let cluster = try own.start()
        #expect(try cluster.connect().run("SHOW work_mem").text(row: 0, column: 0) == "3MB")
        try cluster.stop()
        try Data("work_mem = plenty\n".utf8).write(to: custom)
        let error = try #require(throws: EmbeddedClusterError.self) { _ = try own.start() }
        #expect("\(error)".contains("work_mem"))
        // The failed start has released the lock on the directory.
        try Data().write(to: custom)
        try own.start().stop()
    }

    @Test("a first start that was interrupted is begun anew")
    func interruptedInitialization() throws {
        let own = try OwnCluster()
        let half = own.directory + "/postgres.initializing.99/base"
        try FileManager.default.createDirectory(atPath: half, withIntermediateDirectories: true)
        try own.start().stop()
        #expect(!FileManager.default.fileExists(atPath: half))
    }

    @Test("no PostgreSQL of the cluster's version: the error says which and where")
    func noBinaries() throws {
        let own = try OwnCluster()
        own.settings.binDirectory = "/nonexistent"
        let error = try #require(throws: EmbeddedClusterError.self) { _ = try own.start() }
        #expect("\(error)".contains("/nonexistent"))
        own.settings.binDirectory = nil
        try own.start().stop()
        try Data("3\n".utf8).write(to: URL(fileURLWithPath: own.directory + "/postgres/PG_VERSION"))
        let old = try #require(throws: EmbeddedClusterError.self) { _ = try own.start() }
        #expect("\(old)".contains("PostgreSQL 3"))
    }

    @Test("a directory that the server's user cannot reach is refused with the reason", .enabled(if: geteuid() == 0))
    func unreachable() throws {
        let own = try OwnCluster("/closed/inner")
        let closed = (own.directory as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: own.directory, withIntermediateDirectories: true)
        chmod(closed, 0o700)
        let error = try #require(throws: EmbeddedClusterError.self) { _ = try own.start() }
        #expect("\(error)".contains("cannot pass \(closed)"))
    }
}
