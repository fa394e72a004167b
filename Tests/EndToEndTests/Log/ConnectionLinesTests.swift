import FocusCore
import Foundation
import Support
import Testing
import Tokens

/// What a real server logs of its connections.
@Suite("Lines of connections", .fewAtATime) struct ConnectionLinesTests {
    /// Ends a server when the test is over, however it ends.
    private func serving(
        _ options: [String] = [], _ body: (FocusdProcess, ServerLog) async throws -> Void
    ) async throws {
        let file = try TestDirectory.make() + "/log"
        let database = try await onThread { try TestCluster.shared.makeDatabase() }
        let server = try await FocusdProcess(
            database: database, options: ["--log-level", "debug", "--log-format", "json"] + options, log: file)
        do {
            try await body(server, ServerLog(file: file))
        } catch {
            await server.remove()
            throw error
        }
        await server.remove()
    }

    private func open(_ server: FocusdProcess, _ user: UserID, _ device: DeviceID) async throws -> WireClient {
        let client = try await WireClient.connect(port: server.port)
        try await client.hello(token: TestServer.token(user, device))
        guard case .welcome = try await client.next() else { throw WireError.closed }
        return client
    }

    @Test("A session is a line when it begins and one when it ends, with its bytes, its time and the reason")
    func session() async throws {
        try await serving { server, log in
            let (user, device) = (UserID.random(), DeviceID.random())
            let client = try await open(server, user, device)
            let began = try await log.line("connected") { $0["device"] as? String == device.description }
            #expect(began["user"] as? String == user.description && began["address"] as? String == "127.0.0.1")
            #expect(began["scope"] as? String == "system" && began["class"] as? String == "phone")
            #expect(began["protocol"] as? Int == 2 && began["session"] is String && began["level"] as? String == "info")
            let secret = "nobody-may-read-this"
            try await client.append(from: 1, Envelope.setUp("a") + [.post(secret, app: "a", body: secret)])
            _ = try await client.appended()
            try await client.send(.bye)
            let ended = try await log.line("disconnected") { $0["device"] as? String == device.description }
            #expect(ended["reason"] as? String == "bye" && ended["connection"] as? Int == began["connection"] as? Int)
            #expect(ended["received"] as? Int ?? 0 > 200 && ended["sent"] as? Int ?? 0 > 100)
            #expect(ended["seconds"] as? Double ?? -1 >= 0)
            await client.close()
            let other = try await open(server, user, .random())
            await other.close()
            let gone = try await log.line("disconnected") { $0["device"] as? String != device.description }
            #expect(gone["reason"] as? String == "the device closed the connection")
            #expect(try !log.text().contains(secret))
        }
    }

    @Test("Who is refused is a line, and why: which the device is not told")
    func refused() async throws {
        try await serving { server, log in
            let client = try await WireClient.connect(port: server.port)
            try await client.hello(token: TestServer.token(.random(), .random(), expiresIn: -10))
            #expect(try await client.error().code == .unauthenticated)
            let expired = try await log.line("refused") { $0["code"] as? String == "unauthenticated" }
            #expect(expired["reason"] as? String == "the token has expired")
            #expect(expired["address"] as? String == "127.0.0.1" && expired["user"] == nil)
            let stranger = try await WireClient.connect(port: server.port)
            let key = SigningKey.secret(Array("another-secret-of-32-bytes-or-mo".utf8))
            try await stranger.hello(token: TestServer.token(.random(), .random(), key: key))
            _ = try await log.line("refused") { $0["reason"] as? String == "no key in force has signed the token" }
            let garbage = try await WireClient.connect(port: server.port)
            try await garbage.send(bytes: Array("GET / HTTP/1.1\r\n\r\n".utf8))
            _ = try await log.line("refused") { $0["code"] as? String == "frame_too_large" }
            for client in [client, stranger, garbage] { await client.close() }
            let probe = try await WireClient.connect(port: server.port)
            await probe.close()
            let left = try await log.line("left before it had a session") { _ in true }
            #expect(left["level"] as? String == "debug")
            #expect(try log.lines().allSatisfy { $0["message"] as? String != "disconnected" })
        }
    }

    @Test("A device that its user revoked is sent away, and refused when it comes again; the log says why")
    func revoked() async throws {
        try await serving { server, log in
            let (user, lost) = (UserID.random(), DeviceID.random())
            let client = try await open(server, user, lost)
            let phone = try await open(server, user, .random())
            try await client.append(from: 1, Envelope.setUp("a"))
            _ = try await client.appended()
            try await phone.append(from: 1, [.of(.deviceRevoked(DeviceRevoked(device: lost)))])
            let away = try await log.line("sent away") { $0["device"] as? String == lost.description }
            #expect(away["code"] as? String == "unauthenticated")
            #expect(away["reason"] as? String == "the device is revoked")
            let ended = try await log.line("disconnected") { $0["device"] as? String == lost.description }
            #expect(ended["reason"] as? String == "sent away" && ended["code"] as? String == "unauthenticated")
            let again = try await WireClient.connect(port: server.port)
            try await again.hello(token: TestServer.token(user, lost))
            let refused = try await log.line("refused") { $0["device"] as? String == lost.description }
            #expect(refused["reason"] as? String == "the device is revoked")
            for client in [client, phone, again] { await client.close() }
        }
    }

    @Test("A device that takes too little is a line, with the bytes that wait for it")
    func slow() async throws {
        try await serving { server, log in
            let (user, deafID) = (UserID.random(), DeviceID.random())
            let deaf = try await DeafClient.connect(port: server.port)
            try await deaf.hello(token: TestServer.token(user, deafID))
            let writerID = DeviceID.random()
            let writer = try await open(server, user, writerID)
            try await writer.append(from: 1, Envelope.setUp("a"))
            _ = try await writer.appended()
            let body = String(repeating: "x", count: 8_000)
            var sequence: Int64 = 3
            for round in 0..<40 {
                try await writer.append(
                    from: sequence, (0..<10).map { Envelope.post("n\(round)-\($0)", app: "a", body: body) })
                sequence += 10
                while try await writer.appended().throughSequence.rawValue < sequence - 1 {}
            }
            let slow = try await log.line("slow") { $0["device"] as? String == deafID.description }
            #expect(slow["queued"] as? Int ?? 0 > 0)
            for line in try log.lines() where line["device"] as? String == writerID.description {
                #expect(line["message"] as? String != "slow")
            }
            await writer.close()
            await deaf.close()
        }
    }

    @Test("Devices that come in a crowd are a few lines, and one that counts the rest")
    func crowd() async throws {
        try await serving { server, log in
            // All are connected beforehand, so that they come within the seconds that one line may count.
            var clients: [WireClient] = []
            for _ in 0..<60 { clients.append(try await WireClient.connect(port: server.port)) }
            for client in clients { try await client.hello(token: "x") }
            for client in clients {
                #expect(try await client.error().code == .unauthenticated)
                await client.close()
            }
            let rest = try await log.line("refused: 10 more") { $0["folded"] as? Int == 10 }
            #expect(rest["code"] as? String == "unauthenticated")
            #expect(try log.lines().count { $0["message"] as? String == "refused" } == 50)
        }
    }

    @Test("With JSON, what ends the program at its start is an object too")
    func failure() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let child = try ChildProcess(
            FocusdProcess.binary("focusd"),
            [
                "serve", "--plaintext", "--listen", "127.0.0.1:0", "--data-dir", directory, "--log-format", "json",
                "--database", "postgres://nobody@127.0.0.1:1/nothing",
            ], errors: directory + "/log")
        #expect(await child.exitCode() == 1)
        let lines = try ServerLog(file: directory + "/log").lines()
        #expect(lines.last?["level"] as? String == "critical" && lines.last?["error"] is String)
    }
}

/// The log of a real server, in JSON.
private struct ServerLog {
    let file: String

    func text() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

    /// The whole lines so far, each an object.
    func lines() throws -> [[String: Any]] {
        let text = try text()
        return try text.prefix(through: text.lastIndex(of: "\n") ?? text.startIndex).split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
        }
    }

    /// The first line of the message that `isMeant` accepts; waits for it.
    func line(_ message: String, _ isMeant: ([String: Any]) -> Bool) async throws -> [String: Any] {
        var found: [String: Any]?
        try await awaiting("the log says “\(message)”") {
            found = try lines().first { $0["message"] as? String == message && isMeant($0) }
            return found != nil
        }
        return try #require(found)
    }
}
