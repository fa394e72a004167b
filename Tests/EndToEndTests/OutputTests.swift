import FocusCore
import FocusSyncClient
import Foundation
import Support
import Testing

/// `focusctl` with an input or output that fails.
@Suite("focusctl's standard input and output", .fewAtATime) struct OutputTests {
    /// Runs a bash script in which `$0` is focusctl, and the arguments follow; returns its output.
    private func run(_ script: String, _ arguments: [String] = []) async throws -> String {
        let child = try ChildProcess(
            "/bin/bash", ["-c", script, FocusdProcess.binary("focusctl")] + arguments, input: "/dev/null")
        let output = await child.rest()
        _ = await child.exitCode()
        return output
    }

    @Test("A full disk is told in one line, with exit code 1", arguments: ["rules", "--help"])
    func full(_ command: String) async throws {
        let output = try await run("\"$0\" \(command) 2>&1 >/dev/full; echo \"$?\"")
        #expect(output == "Error: The output cannot be written: No space left on device.\n1\n")
    }

    @Test("A reader that is gone is no news: exit code 1 and not a word")
    func gone() async throws {
        let output = try await run(
            "exec 3> >(true); wait $!; trap '' PIPE; \"$0\" rules 2>&1 >&3; echo \"$?\"")
        #expect(output == "1\n")
    }

    @Test("What cannot be said on standard error changes nothing")
    func unheard() async throws {
        let output = try await run("\"$0\" replay --parallel 0 2>/dev/full; echo \"$?\"")
        #expect(output == "2\n")
    }

    @Test("A report that cannot be written is told before anything is checked")
    func report() async throws {
        let output = try await run(
            """
            key=$(mktemp); printf '%064d' 0 > "$key"
            "$1" --plaintext --key "$key" --server 127.0.0.1:1 --junit /nowhere/report.xml 2>&1; echo "$?"
            rm "$key"
            """, [FocusdProcess.binary("focus-conformance")])
        #expect(output.hasPrefix("Error: /nowhere/report.xml cannot be written") && output.hasSuffix("\n1\n"))
    }

    /// The options of a device whose store is in `directory`, for a server that does not exist.
    private func device(_ directory: String) async throws -> [String] {
        [
            "--plaintext", "--server", "127.0.0.1:1", "--timeout", "1", "--state", directory, "--token",
            try TestServer.token(.random(), .random()),
        ]
    }

    @Test("Input that cannot be read is not its end")
    func unreadable() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let output = try await run("\"$0\" append \"$@\" 2>&1 </; echo \"$?\"", try await device(directory))
        #expect(output == "Error: Standard input cannot be read: Is a directory.\n1\n")
    }

    @Test("A queue that an earlier run left full is waited for, not complained of")
    func queue() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let app = try #require(AppID("com.example.chat"))
        try await onThread {
            let drafts = [EventDraft](repeating: EventDraft(.badgeCleared, app: app), count: DeviceStore.queueLimit)
            _ = try DeviceStore(directory: directory).enqueue(drafts, clock: Timestamp(microseconds: 0))
        }
        let line = #"{"type":"badge.cleared","app":"com.example.chat"}"#
        let output = try await run(
            "echo '\(line)' | \"$0\" append \"$@\" 2>&1; echo \"$?\"", try await device(directory))
        #expect(output.contains("\(DeviceStore.queueLimit) events are not in the log yet"))
        #expect(output.contains("Error: Not done within 1.0 seconds") && output.hasSuffix("\n1\n"))
    }
}
