import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import Support
import Testing

/// What focusd does with the files of its keys.
@Suite("Key files", .fewAtATime) struct KeyFileTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// Starts focusd in a directory, for as long as it runs by itself.
    /// - Returns: its exit code, and what it printed.
    private func fail(_ directory: String, _ options: [String] = []) async throws -> (code: Int32?, output: String) {
        let child = try ChildProcess(
            "/bin/sh",
            [
                "-c", "exec \"$@\" 2>&1", "sh", FocusdProcess.binary("focusd"), "serve", "--plaintext", "--listen",
                "127.0.0.1:0", "--data-dir", directory,
            ] + options)
        var lines: [String] = []
        while true {
            let line = await child.firstLine()
            lines.append(line)
            guard !line.isEmpty, !line.contains("focusd ready") else { break }
        }
        if lines.last?.contains("focusd ready") == true { child.signal(SIGTERM) }
        return (await child.exitCode(), lines.joined(separator: "\n"))
    }

    @Test("A1: no line of the log holds a secret, at any level")
    func unlogged() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try FocusdProcess.relaxDisk(of: directory)
        let log = directory + "/log"
        let child = try ChildProcess(
            FocusdProcess.binary("focusd"),
            [
                "serve", "--plaintext", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--data-dir", directory,
                "--log-level", "trace",
            ], errors: log)
        #expect(await child.firstLine().hasPrefix("focusd ready"))
        child.signal(SIGTERM)
        #expect(await child.exitCode() == 0)
        let text = try String(contentsOfFile: log, encoding: .utf8)
        #expect(text.contains("CertificateWatch"))
        for file in ["token.key", "receipt.key"] {
            let secrets = try String(contentsOfFile: directory + "/" + file, encoding: .utf8)
                .matches(of: #/[A-Za-z0-9_-]{40,}/#).map(\.0)
            #expect(!secrets.isEmpty && !secrets.contains { text.contains($0) }, "\(file)")
        }
    }

    @Test("S6, A1: a new data directory gets a key of tokens and another one of receipts, for the server's eyes alone")
    func made() async throws {
        let directory = try TestDirectory.make()
        try FocusdProcess.relaxDisk(of: directory)
        let server = try await FocusdProcess(directory: directory)
        let tokens = try String(contentsOfFile: directory + "/token.key", encoding: .utf8)
        let receipts = try String(contentsOfFile: directory + "/receipt.key", encoding: .utf8)
        #expect(tokens != receipts)
        for file in ["/token.key", "/receipt.key"] { #expect(try mode(directory + file) == 0o600, "\(file)") }
        await server.remove()
    }

    @Test("A1: a key is never written through a link that somebody else put in its place")
    func link() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try FocusdProcess.relaxDisk(of: directory)
        try FileManager.default.createSymbolicLink(
            atPath: directory + "/token.key", withDestinationPath: directory + "/elsewhere")
        let result = try await fail(directory)
        #expect(result.code == 1, "\(result.output)")
        #expect(!FileManager.default.fileExists(atPath: directory + "/elsewhere"))
    }

    @Test("A1, S6: a log that has events is not served with new keys: focusd says which file is missing")
    func lostKey() async throws {
        let server = try await FocusdProcess()
        let directory = server.directory
        let commands = FocusctlCommands(server: server, user: .random())
        let focus = #"{"type":"focus.configured","payload":{"focusId":"w","name":"W","sharesStatus":true}}"#
        _ = try await commands.succeed(["append"] + commands.device("phone", .random()), input: focus)
        #expect(await server.terminate())
        let kept = directory + "/kept.key"
        try FileManager.default.moveItem(atPath: directory + "/token.key", toPath: kept)
        let result = try await fail(directory)
        #expect(result.code == 1, "\(result.output)")
        #expect(result.output.contains("token.key") && result.output.contains("has events"), "\(result.output)")
        #expect(!FileManager.default.fileExists(atPath: directory + "/token.key"))
        try FileManager.default.moveItem(atPath: kept, toPath: directory + "/token.key")
        try await server.start()
        await server.remove()
    }

    @Test("A1, S6: a restored log, and a log that another server serves, are not served with keys made anew")
    func otherPlaces() async throws {
        let conninfo = try await onThread { try TestCluster.shared.makeDatabase() }
        let server = try await FocusdProcess(database: conninfo)
        let commands = FocusctlCommands(server: server, user: .random())
        let focus = #"{"type":"focus.configured","payload":{"focusId":"w","name":"W","sharesStatus":true}}"#
        _ = try await commands.succeed(["append"] + commands.device("phone", .random()), input: focus)
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let second = try await fail(place, ["--database", conninfo])
        #expect(second.code == 1, "\(second.output)")
        #expect(second.output.contains("The log has events, and \(place)/token.key is missing."), "\(second.output)")
        #expect(!FileManager.default.fileExists(atPath: place + "/token.key"))
        await server.remove()

        let first = try await FocusdProcess()
        let own = FocusctlCommands(server: first, user: .random())
        _ = try await own.succeed(["append"] + own.device("phone", .random()), input: focus)
        _ = try await own.succeed(["backup", "--data-dir", first.directory, "--to", place + "/backup"])
        let restored = place + "/restored"
        _ = try await own.succeed(["restore", "--from", place + "/backup", "--data-dir", restored])
        await first.remove()
        let again = try await fail(restored)
        #expect(again.code == 1, "\(again.output)")
        #expect(again.output.contains("The log has events, and \(restored)/token.key is missing."), "\(again.output)")
        #expect(!FileManager.default.fileExists(atPath: restored + "/token.key"))
    }

    @Test("A server that makes keys for a log on the operator's PostgreSQL says that others need the same")
    func madeBeside() async throws {
        let conninfo = try await onThread { try TestCluster.shared.makeDatabase() }
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        for expected in [true, false] {
            let started = try await fail(place, ["--database", conninfo])
            #expect(started.code == 0, "\(started.output)")
            #expect(started.output.contains("give every other server of this log the same files") == expected)
            #expect(!expected || started.output.contains("\(place)/token.key \(place)/receipt.key"))
        }
    }

    @Test("focusd leaves no core file: its memory holds keys and what devices sent")
    func core() async throws {
        let directory = try TestDirectory.make()
        try FocusdProcess.relaxDisk(of: directory)
        let child = try ChildProcess(
            "/bin/sh",
            [
                "-c", "ulimit -S -c \"$(ulimit -H -c)\"; exec \"$@\"", "sh", FocusdProcess.binary("focusd"), "serve",
                "--plaintext", "--listen", "127.0.0.1:0", "--data-dir", directory, "--log-level", "error",
            ])
        #expect(await child.firstLine().contains("focusd ready"))
        let limits = try String(contentsOfFile: "/proc/\(child.pid)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(line.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"], "\(line)")
        child.signal(SIGTERM)
        #expect(await child.exitCode() == 0)
        try FileManager.default.removeItem(atPath: directory)
    }
}
