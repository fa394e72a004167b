import FocusCore
import FocusSyncClient
import Foundation
import Support
import Testing
import Tokens

/// Rule A1 as an operator lives it: one key takes over from another while devices are connected.
@Suite("Rotation of keys", .fewAtATime) struct KeyRotationTests {
    @Test("A1: a new key takes over without a restart and without anybody shut out; a retired one's sessions end")
    func rotation() async throws {
        let server = try await FocusdProcess()
        let commands = FocusctlCommands(server: server, user: .random())
        let (keys, file) = (["--data-dir", server.directory], server.directory + "/token.key")
        let focus = #"{"type":"focus.configured","payload":{"focusId":"w","name":"W","sharesStatus":true}}"#
        _ = try await commands.succeed(["append"] + commands.device("phone", .random()), input: focus)
        let session = try await commands.device("old", .random())
        let old = try commands.start(["sync", "--follow", "--json"] + session)
        defer { old.signal(SIGKILL) }
        _ = await old.firstLine()

        let added = try await commands.succeed(["keys", "add", "--kid", "next", "--json"] + keys).json()
        #expect(added["kid"] as? String == "next" && added["algorithm"] as? String == "HS256")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        var listed = try await commands.succeed(["keys", "list", "--json"] + keys)
        #expect(listed.lines.count == 2 && listed.lines[0].contains(#""kid":null,"algorithm":"HS256","signs":true"#))
        // The key that signs is never the one that goes.
        #expect(try await commands.run(["keys", "retire", "unnamed", "--now"] + keys).exitCode == 1)
        _ = try await commands.succeed(["keys", "use", "next"] + keys)
        listed = try await commands.succeed(["keys", "list", "--json"] + keys)
        #expect(listed.lines[1].contains(#""kid":"next","algorithm":"HS256","signs":true"#))

        let token = try await commands.succeed(
            ["token", "--user", commands.user.description, "--device", DeviceID.random().description, "--system"]
                + keys
        ).lines[0]
        let new = [
            "--plaintext", "--server", server.address.description, "--state", "\(server.directory)/new", "--token",
            token,
        ]
        try await untilExit(0, commands, ["sync"] + new)
        #expect(!old.hasExited)
        #expect(try await commands.run(["sync"] + commands.device("other", .random())).exitCode == 0)

        _ = try await commands.succeed(["keys", "retire", "unnamed", "--now"] + keys)
        #expect(await old.exitCode() == 1)
        #expect(try await commands.run(["sync"] + session).exitCode == 1)
        _ = try await commands.succeed(["sync"] + new)
        #expect(try await commands.run(["keys", "retire", "next", "--after", "1d"] + keys).exitCode == 1)
        await server.remove()
    }

    /// What stands where the file of keys was.
    enum Broken: CaseIterable { case garbage, directory, nothing }

    @Test(
        "A1: a file of keys that is broken leaves the server the keys that it had, and is told; a mended one is taken",
        arguments: Broken.allCases)
    func broken(_ what: Broken) async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let log = { try String(contentsOfFile: place + "/log", encoding: .utf8) }
        let database = try await onThread { try TestCluster.shared.makeDatabase() }
        let server = try await FocusdProcess(
            database: database, options: ["--log-level", "notice"], log: place + "/log")
        let file = server.directory + "/token.key"
        let (old, new) = (TestServer.secret, Array("fedcba9876543210fedcba9876543210".utf8))
        #expect(try await letsIn(server, old))

        switch what {
        case .garbage: try "no keys".write(toFile: file, atomically: true, encoding: .utf8)
        case .directory:
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        case .nothing: try FileManager.default.removeItem(atPath: file)
        }
        let complaint = what == .garbage ? "\(file) holds no keys of tokens" : "\(file) cannot be read"
        try await awaiting("focusd complains of the file") {
            let text = try log()
            return text.contains("keys of tokens stay as they were") && text.contains(complaint)
        }
        #expect(try await letsIn(server, old), "the key that it had")
        #expect(try await !letsIn(server, new))

        if what == .directory { try FileManager.default.removeItem(atPath: file) }
        let hex = new.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        try hex.write(toFile: file, atomically: true, encoding: .utf8)
        try await awaiting("focusd takes the new key") { try log().contains("keys of tokens have changed") }
        #expect(try await letsIn(server, new))
        #expect(try await !letsIn(server, old))
        #expect(await server.terminate())
        await server.remove()
    }

    /// Whether a device whose token was signed with the secret gets a session.
    private func letsIn(_ server: FocusdProcess, _ secret: [UInt8]) async throws -> Bool {
        let client = try await WireClient.connect(port: server.port)
        try await client.hello(token: TestServer.token(.random(), .random(), key: .secret(secret)))
        let answer = try await client.next()
        await client.close()
        return if case .welcome = answer { true } else { false }
    }

    @Test("focusctl keys keeps names apart, writes no secret out, and says what is wrong")
    func file() async throws {
        let server = try await FocusdProcess()
        let commands = FocusctlCommands(server: server, user: .random())
        let file = server.directory + "/keys.json"
        let options = ["--file", file]
        #expect(try await commands.run(["keys", "list"] + options).exitCode == 1)
        _ = try await commands.succeed(["keys", "add", "--kid", "a", "--algorithm", "eddsa"] + options)
        _ = try await commands.succeed(["keys", "add", "--kid", "b"] + options)
        #expect(try await commands.run(["keys", "add", "--kid", "a"] + options).exitCode == 1)
        for bad in ["", "a b", "unnamed", "x\u{1B}", String(repeating: "x", count: 65)] {
            #expect(try await commands.run(["keys", "add", "--kid", bad] + options).exitCode == 2, "\(bad)")
        }
        #expect(try await commands.run(["keys", "retire", "b"] + options).exitCode == 2)
        #expect(try await commands.run(["keys", "use", "c"] + options).exitCode == 1)
        let retired = try await commands.succeed(["keys", "retire", "b", "--after", "30d", "--json"] + options).json()
        let end = try #require(retired["endsAt"] as? String)
        #expect(retired["status"] as? String == "retires")
        // Asked again, it does not get more time; it may get less.
        for (after, isSame) in [("90d", true), ("1d", false), ("30d", false)] {
            let again = try await commands.succeed(["keys", "retire", "b", "--after", after, "--json"] + options).json()
            let other = try #require(again["endsAt"] as? String)
            #expect(isSame ? other == end : other < end, "\(after)")
        }
        let published = try await commands.succeed(["keys", "list", "--public"] + options).output
        #expect(published.contains(#""kid" : "a""#) && !published.contains(#""d""#) && !published.contains(#""k""#))
        let table = try await commands.succeed(["keys", "list"] + options)
        #expect(table.lines.count == 3 && table.lines[1].hasPrefix("a    EdDSA      yes"))
        // The published half checks, and signs nothing.
        try published.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(
            try await commands.run(
                ["token", "--user", "\(commands.user)", "--device", "\(DeviceID.random())", "--system", "--key", file]
            ).exitCode == 1)
        await server.remove()
    }

    /// Runs a command until it ends with the code: a server takes new keys within 5 s.
    private func untilExit(_ code: Int32, _ commands: FocusctlCommands, _ arguments: [String]) async throws {
        try await awaiting("\(arguments.joined(separator: " ")) exits with \(code)") {
            try await commands.run(arguments).exitCode == code
        }
    }
}
