import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Support

/// The real program on its own embedded cluster, to be killed and started again.
final class FocusdProcess {
    let directory: String
    private(set) var port = 0
    private var child: ChildProcess?

    private let externalDatabase: String?
    private let options: [String]

    /// Starts a server in a fresh data directory, with the secret of `TestServer`.
    /// - Parameter database: nil: its own embedded cluster.
    init(database: String? = nil, options: [String] = []) async throws {
        externalDatabase = database
        self.options = options
        directory = try TestDirectory.make()
        let hex = TestServer.secret.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        try hex.write(toFile: directory + "/token.key", atomically: true, encoding: .utf8)
        try await start()
    }

    /// Starts a server in a data directory that is there already.
    init(directory: String) async throws {
        externalDatabase = nil
        options = []
        self.directory = directory
        try await start()
    }

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
        guard let range = line.range(of: "listen=127.0.0.1:"),
            let bound = Int(line[range.upperBound...].prefix { $0.isNumber })
        else { throw NeverHappened(description: "focusd did not become ready: \(line)") }
        port = bound
    }

    func kill() async {
        child?.signal(SIGKILL)
        _ = await waitForExit()
    }

    func killPostmaster() throws {
        guard let running = try EmbeddedCluster.running(dataDirectory: directory) else { return }
        Foundation.kill(running.postmasterPID, SIGKILL)
    }

    /// SIGTERM; true when it exits 0 within 10 s (rule G1).
    func terminate() async -> Bool {
        let begin = ContinuousClock.now
        child?.signal(SIGTERM)
        return await waitForExit() == 0 && ContinuousClock.now - begin < .seconds(10)
    }

    /// The exit code; nil when a signal ended it.
    @discardableResult
    func waitForExit() async -> Int32? { await child?.exitCode() }

    /// Ends everything and removes the directory.
    func remove() async {
        await kill()
        try? EmbeddedCluster.stopOrphan(dataDirectory: directory)
        try? FileManager.default.removeItem(atPath: directory)
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
