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
        ] {
            let key = try TestDirectory.make() + "/token.key"
            try String(repeating: "0", count: 64).write(toFile: key, atomically: true, encoding: .utf8)
            let (code, text) = try await run(
                program, arguments + (program == "focusd" ? ["--token-key", key] : []))
            #expect(code == 1 && text.contains(complaint + "Connection refused"), "\(text)")
        }
    }

    @Test("A database without a log is told from one that is broken")
    func noLog() async throws {
        let database = try await onThread { try TestCluster.shared.makeDatabase() }
        let (code, text) = try await run("focusctl", ["projections", "status", "--database", database])
        #expect(code == 1 && text.hasPrefix("Error: The database holds no log."), "\(text)")
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
