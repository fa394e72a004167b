import FocusCore
import FocusSyncClient
import Foundation
import Support
import Testing

/// What is said of usual mistakes: which one it is, in the words of whoever makes it.
@Suite("Mistakes", .fewAtATime) struct MistakeTests {
    /// What a program says on standard error, and its exit code.
    private func run(_ program: String, _ arguments: [String]) async throws -> (code: Int32?, text: String) {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let child = try ChildProcess(
            FocusdProcess.binary(program), arguments, input: "/dev/null", errors: directory + "/errors")
        _ = await child.rest()
        let code = await child.exitCode()
        return (code, try String(contentsOfFile: directory + "/errors", encoding: .utf8))
    }

    @Test("A database that is not there is named by host and port, with the reason")
    func database() async throws {
        let place = "postgres://nobody@127.0.0.1:1/nothing"
        let complaint = "Error: PostgreSQL cannot be reached: connection to server at \"127.0.0.1\", port 1 failed: "
        for (program, arguments) in [
            ("focusd", ["serve", "--plaintext", "--listen", "127.0.0.1:0", "--database", place]),
            ("focusctl", ["projections", "status", "--database", place]),
            ("focusctl", ["projections", "rebuild", "--all", "--database", place]),
            ("focusctl", ["projections", "drop-old", "--database", place]),
        ] {
            let key = try TestDirectory.make() + "/token.key"
            try String(repeating: "0", count: 64).write(toFile: key, atomically: true, encoding: .utf8)
            let (code, text) = try await run(
                program, arguments + (program == "focusd" ? ["--token-key", key] : []))
            #expect(code == 1 && text.contains(complaint + "Connection refused"), "\(text)")
            #expect(!text.contains("--resume"), "nothing was begun: \(text)")
        }
    }

    @Test("A database without a log is told from one that is broken")
    func noLog() async throws {
        let database = try await onThread { try TestCluster.shared.makeDatabase() }
        let (code, text) = try await run("focusctl", ["projections", "status", "--database", database])
        #expect(code == 1 && text.hasPrefix("Error: The database holds no log."), "\(text)")
    }

    @Test("Q2: so many connections as no machine has are a mistake; one and a million are not")
    func connections() async throws {
        for (count, isRight) in [
            ("0", false), ("1", true), ("1000000", true), ("1000001", false), ("\(Int.max)", false),
        ] {
            let (code, text) = try await run("focusd", ["config", "--plaintext", "--connections", count])
            #expect(code == (isRight ? 0 : 2), "\(count): \(text)")
            #expect(isRight || text.hasPrefix("Error: --connections is 1 to 1000000."), "\(text)")
        }
    }

    @Test("A port that is in use is named, and no cluster is made for it")
    func port() async throws {
        let other = try await FocusdProcess(database: try await onThread { try TestCluster.shared.makeDatabase() })
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let (code, text) = try await run(
            "focusd", ["serve", "--plaintext", "--listen", other.address.description, "--data-dir", place + "/data"])
        let complaint = "Error: \(other.address) cannot be listened on: Address already in use."
        #expect(code == 1 && text.contains(complaint), "\(text)")
        #expect(!FileManager.default.fileExists(atPath: place + "/data"))
        #expect(await other.terminate())
        await other.remove()
    }

    @Test("Lines that an append did not take, because the server is away, are told of; none is neither queued nor told")
    func unread() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let line = #"{"type":"badge.cleared","app":"com.example.chat"}"# + "\n"
        let lines = directory + "/lines"
        try String(repeating: line, count: 9_000).write(toFile: lines, atomically: true, encoding: .utf8)
        let child = try ChildProcess(
            FocusdProcess.binary("focusctl"),
            [
                "append", "--plaintext", "--server", "127.0.0.1:1", "--timeout", "1", "--state", directory + "/device",
                "--token", try TestServer.token(.random(), .random()),
            ], input: lines, errors: directory + "/errors")
        _ = await child.rest()
        #expect(await child.exitCode() == 1)
        let text = try String(contentsOfFile: directory + "/errors", encoding: .utf8)
        let queued = text.firstMatch(of: /(\d+) events are not in the log yet/).flatMap { Int($0.1) }
        let next = text.firstMatch(of: /Line (\d+) and those behind it were not taken/).flatMap { Int($0.1) }
        #expect(queued.map { $0 + 1 } == next && next ?? .max <= 9_000, "\(text)")
    }

    @Test("Who says for how long to wait for a server waits for so long, however many attempts that takes")
    func timeout() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let begin = ContinuousClock.now
        let (code, text) = try await run(
            "focusctl",
            [
                "sync", "--plaintext", "--server", "127.0.0.1:1", "--timeout", "25", "--state", directory, "--token",
                try TestServer.token(.random(), .random()),
            ])
        #expect(code == 1 && text.contains("Connection refused"), "\(text)")
        #expect(!text.contains("attempts") && ContinuousClock.now - begin >= .seconds(24), "\(text)")
    }

    @Test("A checkpoint that cannot be written is told of before anything is replayed")
    func checkpoint() async throws {
        let database = try await onThread { try TestCluster.shared.makeDatabase() }
        let made = try await run("focusctl", ["migrate", "--partitions", "4", "--database", database])
        #expect(made.code == 0, "\(made.text)")
        let (code, text) = try await run(
            "focusctl",
            ["replay", "--format", "csv", "--checkpoint", "/nowhere/last", "--database", database])
        #expect(code == 1 && text == "Error: /nowhere/last cannot be written: No such file or directory.\n", "\(text)")
    }

    @Test("A number of partitions that the log does not have is refused, not passed over")
    func partitions() async throws {
        let database = try await onThread { try TestCluster.shared.makeDatabase() }
        for (number, expected) in [("4", Int32(0)), ("4", 0), ("5", 1)] {
            let (code, text) = try await run("focusctl", ["migrate", "--partitions", number, "--database", database])
            #expect(code == expected, "\(text)")
            if expected == 1 { #expect(text.contains("The log was made with 4 partitions"), "\(text)") }
        }
        #expect(try await run("focusctl", ["migrate", "--database", database]).code == 0)
    }

    @Test("A directory in place of a file is called one")
    func directories() async throws {
        let user = "11111111-1111-4111-8111-111111111111"
        let key = try await run(
            "focusctl", ["token", "--user", user, "--device", user, "--system", "--key", "/"])
        #expect(key.code == 1 && key.text.hasPrefix("Error: / cannot be read: Is a directory."), "\(key.text)")
        let token = try await run("focusctl", ["sync", "--plaintext", "--token-file", "/", "--state", "/nowhere"])
        #expect(token.code == 1 && token.text.hasPrefix("Error: / cannot be read: Is a directory."), "\(token.text)")
        let signed = try TestServer.token(.random(), .random())
        let gpx = try await run(
            "focusctl", ["import", "gpx", "/", "--app", "a", "--plaintext", "--token", signed, "--state", "/nowhere"])
        #expect(gpx.code == 1 && gpx.text == "Error: /: / cannot be read\n", "\(gpx.text)")
    }
}
