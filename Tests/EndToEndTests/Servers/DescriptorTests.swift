import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

/// A server that may open few files.
@Suite("Descriptors", .fewAtATime) struct DescriptorTests {
    private let user = UserID.random()

    /// Starts focusd under limits of the shell, on a database of its own.
    /// - Parameter limits: of open files, as `ulimit` takes them.
    private func start(_ limits: String, _ options: [String] = []) async throws -> (
        process: ChildProcess, line: String, port: Int, place: String, database: String
    ) {
        let place = try TestDirectory.make()
        let hex = TestServer.secret.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        try hex.write(toFile: place + "/token.key", atomically: true, encoding: .utf8)
        let database = try await onThread { try TestCluster.shared.makeDatabase() }
        let process = try ChildProcess(
            "/bin/bash",
            [
                "-c", "\(limits) && exec \"$@\" 2>&1", "bash", FocusdProcess.binary("focusd"), "serve", "--plaintext",
                "--data-dir", place, "--database", database, "--partitions", "2", "--listen", "127.0.0.1:0",
                "--log-level", "error",
            ] + options)
        let line = await process.firstLine()
        let port = line.split(separator: " ").first { $0.hasPrefix("listen=") }?.split(separator: ":").last
        return (process, line, port.flatMap { Int($0) } ?? 0, place, database)
    }

    @Test("Q2: a low soft limit of open files is raised; silent sockets beyond it keep nobody out")
    func soft() async throws {
        let (process, line, port, place, _) = try await start("ulimit -Sn 100 && ulimit -Hn 2000")
        defer { try? FileManager.default.removeItem(atPath: place) }
        try #require(port > 0, "\(line)")
        var silent: [WireClient] = []
        for _ in 0..<150 { silent.append(try await WireClient.connect(port: port)) }
        let client = try await WireClient.connect(port: port)
        try await client.hello(token: TestServer.token(user, .random()))
        let answer = try await client.next(within: 30)
        guard case .welcome = answer else {
            Issue.record("\(answer)")
            return
        }
        try await client.append(from: 1, Envelope.setUp("a"))
        #expect(try await client.appended().throughSequence == DeviceSequence(2))
        for client in silent + [client] { await client.close() }
        process.signal(SIGTERM)
        #expect(await process.exitCode() == 0)
    }

    @Test("Q2: however many connect, a server has files left for its database")
    func reserve() async throws {
        let (process, line, port, place, database) = try await start("ulimit -n 256")
        defer { try? FileManager.default.removeItem(atPath: place) }
        try #require(port > 0, "\(line)")
        let client = try await WireClient.connect(port: port)
        try await client.hello(token: TestServer.token(user, .random()))
        try await client.append(from: 1, Envelope.setUp("a"))
        #expect(try await client.appended().throughSequence == DeviceSequence(2))
        var others: [WireClient] = []
        for _ in 0..<300 {
            let other = try await WireClient.connect(port: port)
            // One that is sent away may be closed already.
            try? await other.hello(token: TestServer.token(.random(), .random()))
            others.append(other)
        }
        #expect(try await others[299].goAway() == .overloaded)
        try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: database))
            defer { connection.close() }
            try connection.run(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
        }
        try await client.append(from: 3, [.post("n", app: "a")])
        #expect(try await client.appended().throughSequence == DeviceSequence(3))
        for client in others + [client] { await client.close() }
        process.signal(SIGTERM)
        #expect(await process.exitCode() == 0)
    }

    @Test("Q2: a server that may not open files enough says so when it starts")
    func hard() async throws {
        let (process, line, _, place, _) = try await start("ulimit -n 100")
        defer { try? FileManager.default.removeItem(atPath: place) }
        // It would serve for ever.
        if line.contains("ready") { process.signal(SIGTERM) }
        let text = line + "\n" + (await process.rest())
        #expect(await process.exitCode() == 1)
        #expect(text.contains("ulimit -n"), "\(text)")
    }
}
