import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Support
import Testing

/// The real program on its own embedded cluster, for tests that kill and restart it.
final class FocusdProcess {
    let directory: String
    private let reserved: ReservedPort
    private var child: ChildProcess?
    /// Where machines watch the server.
    private(set) var adminPort = 0

    private let externalDatabase: String?
    private let options: [String]
    private let log: String?

    /// Starts a server in a fresh data directory, with the secret of `TestServer`.
    /// - Parameters:
    ///   - database: nil: its own embedded cluster.
    ///   - log: the file that it logs to; nil: the test's standard error.
    init(database: String? = nil, options: [String] = [], log: String? = nil) async throws {
        externalDatabase = database
        (self.options, self.log) = (options, log)
        reserved = try ReservedPort()
        directory = try TestDirectory.make()
        try Self.relaxDisk(of: directory)
        let hex = TestServer.secret.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        try hex.write(toFile: directory + "/token.key", atomically: true, encoding: .utf8)
        try await start()
    }

    /// Starts a server in an existing data directory.
    init(directory: String) async throws {
        externalDatabase = nil
        options = []
        log = nil
        reserved = try ReservedPort()
        self.directory = directory
        try await start()
    }

    var port: Int { reserved.number }

    var address: ServerAddress { ServerAddress(host: "127.0.0.1", port: port) }

    /// Starts the server on the same port as before; returns when it accepts connections.
    /// - Parameter fault: `point:n`, see `FaultPoint`.
    func start(fault: String? = nil) async throws {
        let child = try ChildProcess(
            Self.binary("focusd"),
            ["serve", "--plaintext", "--data-dir", directory, "--listen", "127.0.0.1:\(port)", "--log-level", "error"]
                + ["--admin", "127.0.0.1:0"]
                + (externalDatabase.map { ["--database", $0, "--partitions", "2"] } ?? []) + options,
            environment: fault.map { ["FOCUSD_FAULT": $0] } ?? [:], errors: log)
        self.child = child
        let line = await child.firstLine()
        guard line.contains("listen=127.0.0.1:\(port)") else {
            throw NeverHappened(description: "focusd did not become ready: \(line)")
        }
        adminPort = line.firstMatch(of: #/admin=127\.0\.0\.1:(\d+) /#).flatMap { Int($0.1) } ?? 0
    }

    /// The server's figures.
    func figures() async throws -> Exposition {
        let answer = try await HTTPAnswer.get("/metrics", port: adminPort)
        let figures = Exposition(answer?.body ?? "")
        #expect(answer?.status == 200 && figures.flaws == [])
        return figures
    }

    /// Turns fsync off for the embedded cluster before its first start. Programs that are killed lose nothing by it,
    /// and a slow disk does not decide how long a shutdown takes.
    static func relaxDisk(of directory: String) throws {
        let file = directory + "/custom.conf"
        try "fsync = off\nfull_page_writes = off\n".write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    }

    func kill() async {
        child?.signal(SIGKILL)
        _ = await waitForExit()
    }

    /// Whether the process has ended, by itself or by a signal.
    var hasExited: Bool { child?.hasExited ?? true }

    func killPostmaster() throws {
        guard let running = try EmbeddedCluster.running(dataDirectory: directory) else { return }
        Foundation.kill(running.postmasterPID, SIGKILL)
    }

    /// Sends SIGHUP, and waits for nothing.
    func hangUp() { child?.signal(SIGHUP) }

    /// Sends SIGTERM, and waits for nothing.
    func beginTermination() { child?.signal(SIGTERM) }

    /// Sends SIGTERM; returns whether the process exits with code 0 (rule G1). The rule's limit of 10 s holds for a
    /// machine that is not overloaded, so the test only waits for as long as any child may take.
    func terminate() async -> Bool {
        beginTermination()
        return await waitForExit() == 0
    }

    /// The exit code; nil if a signal ended the process.
    @discardableResult
    func waitForExit() async -> Int32? { await child?.exitCode() }

    /// Ends all processes and removes the directory.
    func remove() async {
        await kill()
        // On a thread of its own, because it blocks and the cooperative pool has few threads.
        _ = try? await onThread { [directory] in
            var settings = EmbeddedClusterSettings()
            settings.stopTimeout = .zero
            try? EmbeddedCluster.stopOrphan(dataDirectory: directory, settings: settings)
            try? FileManager.default.removeItem(atPath: directory)
        }
    }

    /// A connection to the log as its owner; waits while the cluster recovers.
    func database() throws -> PostgresConnection {
        var made: PostgresConnection?
        try eventually("the cluster answers") {
            guard let running = try EmbeddedCluster.running(dataDirectory: directory) else { return false }
            made = try? PostgresConnection(PostgresConfiguration(conninfo: running.conninfo))
            return made != nil
        }
        return made!
    }

    /// The path of one of our programs, beside the test bundle.
    static func binary(_ name: String) -> String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(name).path
    }
}
