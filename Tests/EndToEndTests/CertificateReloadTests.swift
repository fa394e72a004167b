import FocusCore
import Foundation
import Logging
import Support
import Testing

@testable import focusd

/// A server whose certificate is renewed.
@Suite("Certificate", .fewAtATime) struct CertificateReloadTests {
    /// What the server's log says, and the name in the certificate that it shows.
    private struct Server {
        let process: ChildProcess
        let port: Int
        let directory: String
        let files: TLSFiles

        func log() throws -> String { try String(contentsOfFile: directory + "/log", encoding: .utf8) }

        func shownName() async throws -> String {
            let client = try ChildProcess(
                "/bin/bash",
                ["-c", "openssl s_client -connect 127.0.0.1:\(port) 2>&1 | openssl x509 -noout -subject 2>&1"],
                input: "/dev/null")
            return await client.rest()
        }
    }

    private func make(_ name: String, days: Int, _ files: TLSFiles) async throws {
        let openssl = try ChildProcess(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                files.key + ".new", "-out", files.certificate + ".new", "-days", "\(days)", "-subj", "/CN=\(name)",
            ])
        try #require(await openssl.exitCode() == 0)
        for file in [files.key, files.certificate] { try #require(rename(file + ".new", file) == 0) }
    }

    private func serving(_ body: (Server) async throws -> Void) async throws {
        let directory = try TestDirectory.make()
        let files = TLSFiles(certificate: directory + "/cert.pem", key: directory + "/key.pem")
        try await make("first", days: 2, files)
        let database = try await onThread { try TestCluster.shared.makeDatabase() }
        let process = try ChildProcess(
            FocusdProcess.binary("focusd"),
            [
                "serve", "--tls-cert", files.certificate, "--tls-key", files.key, "--listen", "127.0.0.1:0",
                "--data-dir", directory, "--database", database, "--partitions", "2",
            ], errors: directory + "/log")
        let line = await process.firstLine()
        let port = line.firstMatch(of: /listen=127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) }
        try await body(
            Server(process: process, port: try #require(port, "\(line)"), directory: directory, files: files))
        process.signal(SIGTERM)
        #expect(await process.exitCode() == 0)
        try FileManager.default.removeItem(atPath: directory)
    }

    @Test("A new certificate is taken without a restart, from its files or on SIGHUP; a broken one changes nothing")
    func renewed() async throws {
        try await serving { server in
            #expect(try await server.shownName().contains("first"))
            #expect(try server.log().contains("the certificate ends soon"), "it is for two days")
            try await make("second", days: 40, server.files)
            server.process.signal(SIGHUP)
            try await awaiting("the second one is shown") { try await server.shownName().contains("second") }
            try await make("third", days: 50, server.files)
            try await awaiting("the third one is shown") { try await server.shownName().contains("third") }
            try "no certificate".write(toFile: server.files.certificate, atomically: true, encoding: .utf8)
            server.process.signal(SIGHUP)
            try await awaiting("the log complains") { try server.log().contains("the certificate stays as it was") }
            let complaint = "\(server.files.certificate) cannot be used for TLS"
            #expect(try server.log().contains(complaint))
            #expect(try await server.shownName().contains("third"))
        }
    }

    @Test("SIGHUP ends no server, with TLS or without")
    func signal() async throws {
        let server = try await FocusdProcess(database: try await onThread { try TestCluster.shared.makeDatabase() })
        server.hangUp()
        let client = try await WireClient.connect(port: server.port)
        try await client.hello(token: TestServer.token(.random(), .random()))
        guard case .welcome = try await client.next() else {
            Issue.record("no Welcome")
            return
        }
        await client.close()
        #expect(await server.terminate())
        await server.remove()
    }

    @Test("SIGHUP ends no server that still starts")
    func starting() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let database = try await onThread { try TestCluster.shared.makeDatabase() }
        let child = try ChildProcess(
            FocusdProcess.binary("focusd"),
            ["serve", "--plaintext", "--listen", "127.0.0.1:0", "--data-dir", directory, "--database", database],
            errors: directory + "/log")
        // The tables are made before it is ready.
        try await awaiting("it makes its tables") {
            try String(contentsOfFile: directory + "/log", encoding: .utf8).contains("migrated")
        }
        child.signal(SIGHUP)
        #expect(await child.firstLine().hasPrefix("focusd ready"))
        child.signal(SIGTERM)
        #expect(await child.exitCode() == 0)
    }

    @Test("That a certificate ends soon, and that it has ended, is told once each, and again of the next one")
    func end() {
        let kept = KeptLog()
        let logger = Logger(label: "test") { _ in kept }
        var state = CertificateEnd()
        let end = 2_000_000_000
        for left in [20.0, 15, 14.1, 13.9, 10, 1, 0.1, -0.1, -5] {
            state.tell(end, logger, now: Date(timeIntervalSince1970: Double(end) - left * 86_400))
        }
        #expect(kept.messages(.warning).count == 1 && kept.messages(.critical).count == 1)
        state.tell(end, logger, now: Date(timeIntervalSince1970: 0))
        state.tell(end, logger, now: Date(timeIntervalSince1970: Double(end) - 86_400))
        #expect(kept.messages(.warning).count == 2)
        state.tell(nil, logger)
    }

    @Test("Files that are no certificate, or no key of it, are named before anything is made")
    func unusable() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let files = TLSFiles(certificate: directory + "/cert.pem", key: directory + "/key.pem")
        let other = TLSFiles(certificate: directory + "/other.pem", key: directory + "/other-key.pem")
        try await make("first", days: 2, files)
        try await make("other", days: 2, other)
        for (certificate, key, complaint) in [
            ("/nowhere.pem", files.key, "/nowhere.pem cannot be used for TLS"),
            (files.key, files.key, "\(files.key) cannot be used for TLS: it holds no certificate"),
            (files.certificate, files.certificate, "\(files.certificate) cannot be used for TLS: it holds no key"),
            (files.certificate, other.key, "it is not the key of \(files.certificate)"),
        ] {
            let child = try ChildProcess(
                FocusdProcess.binary("focusd"),
                [
                    "serve", "--tls-cert", certificate, "--tls-key", key, "--listen", "127.0.0.1:0", "--data-dir",
                    directory + "/data",
                ], errors: directory + "/errors")
            #expect(await child.exitCode() == 1)
            let text = try String(contentsOfFile: directory + "/errors", encoding: .utf8)
            #expect(text.contains("Error: ") && text.contains(complaint), "\(text)")
        }
        #expect(!FileManager.default.fileExists(atPath: directory + "/data"))
    }
}
