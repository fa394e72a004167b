import EventStore
import Foundation
import PostgresClient
import Support
import Testing

/// The servers that the conformance suite judges, and what the suite may do to them.
final class ConformanceStage {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        /// A single server in plaintext, with its own PostgreSQL.
        case alone
        /// Two servers over TLS on one database.
        case secured
        /// Four servers on one database, behind PgBouncer in transaction mode.
        case pooled

        var testDescription: String { rawValue }

        /// What this stage lacks; the suite skips cases that need it.
        var lacks: [String] {
            switch self {
            case .alone: ["a second --server"]
            case .secured: ["--rebuild", "--restore-database"]
            case .pooled: ["--restore-database"]
            }
        }
    }

    /// The arguments of `focus-conformance`.
    private(set) var arguments: [String] = []
    private var servers: [HurtServer] = []
    private var bouncer: Bouncer?
    private let files: String

    init(_ kind: Kind) async throws {
        files = try TestDirectory.make()
        do {
            switch kind {
            case .alone: try await startAlone()
            case .secured: try await startSecured()
            case .pooled: try await startPooled()
            }
            try addCommon()
        } catch {
            await remove()
            throw error
        }
    }

    private func startAlone() async throws {
        let server = try await HurtServer(["--plaintext"])
        servers = [server]
        try await server.perform("save")
        arguments = [
            "--plaintext", "--restart-database", server.command("database"), "--restore-database",
            server.command("restore"), "--rebuild", "\(Self.rebuild) --data-dir \(server.directory)",
        ]
    }

    private func startSecured() async throws {
        let certificate = try await TestCertificate(in: files)
        let tls = ["--tls-cert", certificate.certificate, "--tls-key", certificate.key]
        let server = try await HurtServer(tls)
        servers = [server]
        let log = try await onThread { [directory = server.directory] in
            try #require(try EmbeddedCluster.running(dataDirectory: directory)).conninfo
        }
        servers.append(try await HurtServer(tls + ["--database", log], keyOf: server))
        arguments = ["--tls-ca", certificate.certificate, "--restart-database", server.command("database")]
    }

    private func startPooled() async throws {
        let log = try await onThread { try TestCluster.shared.makeDatabase() }
        let bouncer = try await onThread { try Bouncer(conninfo: log, sessions: 8) }
        self.bouncer = bouncer
        for _ in 0..<4 {
            let options = ["--plaintext", "--no-prepared", "--database", bouncer.conninfo, "--direct-database", log]
            servers.append(try await HurtServer(options, keyOf: servers.first))
        }
        // Other tests use the same PostgreSQL, so all sessions of this database are ended instead of a restart.
        let end = """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        arguments = [
            "--plaintext", "--restart-database", "psql \"\(log)\" -qX -o /dev/null -c \"\(end)\"", "--rebuild",
            "\(Self.rebuild) --database \"\(log)\"",
        ]
    }

    private static var rebuild: String {
        "\(FocusdProcess.binary("focusctl")) projections rebuild --all --max-load 100"
    }

    private func addCommon() throws {
        let first = try #require(servers.first)
        arguments += servers.flatMap { ["--server", $0.address] } + ["--data-dir", first.directory]
        arguments += ["--restart-server", first.command("restart"), "--crash-server", first.command("crash")]
        arguments += ["--terminate-server", first.command("terminate")]
        guard servers.count > 1 else { return }
        arguments += ["--stop-notifications", first.command("mute"), "--start-notifications", first.command("restart")]
    }

    /// The path of a file for the test.
    func file(_ name: String) -> String { "\(files)/\(name)" }

    func remove() async {
        // In reverse order, because the first server may run the PostgreSQL of the others.
        for server in servers.reversed() { try? await server.remove() }
        await bouncer?.stop()
        try? FileManager.default.removeItem(atPath: files)
    }
}
