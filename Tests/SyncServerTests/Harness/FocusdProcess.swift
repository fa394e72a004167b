import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Support

/// The real program on its own embedded cluster, to be killed and started again.
final class FocusdProcess {
    let directory: String
    private let reserved: ReservedPort
    private var child: ChildProcess?

    private let externalDatabase: String?
    private let options: [String]

    /// Starts a server in a fresh data directory, with the secret of `TestServer`.
    /// - Parameter database: nil: its own embedded cluster.
    init(database: String? = nil, options: [String] = []) async throws {
        externalDatabase = database
        self.options = options
        reserved = try ReservedPort()
        directory = try TestDirectory.make()
        try Self.relaxDisk(of: directory)
        let hex = TestServer.secret.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        try hex.write(toFile: directory + "/token.key", atomically: true, encoding: .utf8)
        try await start()
    }

    /// Starts a server in a data directory that is there already.
    init(directory: String) async throws {
        externalDatabase = nil
        options = []
        reserved = try ReservedPort()
        self.directory = directory
        try await start()
    }

    var port: Int { reserved.number }

    var address: ServerAddress { ServerAddress(host: "127.0.0.1", port: port) }

    /// Starts it, on the same port as before, and returns when it accepts.
    /// - Parameter fault: `point:n`, see `FaultPoint`.
    func start(fault: String? = nil) async throws {
        let child = try ChildProcess(
            Self.binary("focusd"),
            ["serve", "--plaintext", "--data-dir", directory, "--listen", "127.0.0.1:\(port)", "--log-level", "error"]
                + (externalDatabase.map { ["--database", $0, "--partitions", "2"] } ?? []) + options,
            environment: fault.map { ["FOCUSD_FAULT": $0] } ?? [:])
        self.child = child
        let line = await child.firstLine()
        guard line.contains("listen=127.0.0.1:\(port)") else {
            throw NeverHappened(description: "focusd did not become ready: \(line)")
        }
    }

    /// For the embedded cluster there, before its first start: killed programs lose nothing by it, and a slow disk does
    /// not decide how long a shut-down takes.
    static func relaxDisk(of directory: String) throws {
        let file = directory + "/custom.conf"
        try "fsync = off\nfull_page_writes = off\n".write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    }

    func kill() async {
        child?.signal(SIGKILL)
        _ = await waitForExit()
    }

    /// A signal ended it, or it ended itself.
    var hasExited: Bool { child?.hasExited ?? true }

    func killPostmaster() throws {
        guard let running = try EmbeddedCluster.running(dataDirectory: directory) else { return }
        Foundation.kill(running.postmasterPID, SIGKILL)
    }

    /// SIGTERM; true when it exits 0 (rule G1). The 10 s of the rule are of a machine that has time for it, and are its own
    /// limits' sum; a loaded one takes longer, and only a focusd that never ends takes as long as a child may.
    func terminate() async -> Bool {
        child?.signal(SIGTERM)
        return await waitForExit() == 0
    }

    /// The exit code; nil when a signal ended it.
    @discardableResult
    func waitForExit() async -> Int32? { await child?.exitCode() }

    /// Ends everything and removes the directory.
    func remove() async {
        await kill()
        // On a thread of its own: it blocks, and the pool has two.
        _ = try? await onThread { [directory] in
            var settings = EmbeddedClusterSettings()
            settings.stopTimeout = .zero
            try? EmbeddedCluster.stopOrphan(dataDirectory: directory, settings: settings)
            try? FileManager.default.removeItem(atPath: directory)
        }
    }

    /// The log, as its owner; waits while the cluster recovers.
    func database() throws -> PostgresConnection {
        var made: PostgresConnection?
        try eventually("the cluster answers") {
            guard let running = try EmbeddedCluster.running(dataDirectory: directory) else { return false }
            made = try? PostgresConnection(PostgresConfiguration(conninfo: running.conninfo))
            return made != nil
        }
        return made!
    }

    /// A program of ours, beside the test bundle.
    static func binary(_ name: String) -> String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(name).path
    }
}
