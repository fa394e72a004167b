import FocusCore
import Foundation
import Support
import Testing

/// A server that may open few files.
@Suite("Descriptors", .fewAtATime) struct DescriptorTests {
    private let user = UserID.random()

    /// Starts focusd under limits of the shell, on a database of its own.
    /// - Parameter limits: of open files, as `ulimit` takes them.
    private func start(_ limits: String, _ options: [String] = []) async throws -> (
        process: ChildProcess, line: String, port: Int, place: String
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
        return (process, line, port.flatMap { Int($0) } ?? 0, place)
    }

    @Test("Q2: a low soft limit of open files is raised; silent sockets beyond it keep nobody out")
    func soft() async throws {
        let (process, line, port, place) = try await start("ulimit -Sn 100 && ulimit -Hn 2000")
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

    @Test("Q2: a server that may not open files enough says so when it starts")
    func hard() async throws {
        let (process, line, _, place) = try await start("ulimit -n 100")
        defer { try? FileManager.default.removeItem(atPath: place) }
        // It would serve for ever.
        if line.contains("ready") { process.signal(SIGTERM) }
        let text = line + "\n" + (await process.rest())
        #expect(await process.exitCode() == 1)
        #expect(text.contains("ulimit -n"), "\(text)")
    }
}
