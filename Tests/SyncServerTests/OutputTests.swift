import Foundation
import Testing

/// Where `focusctl` writes to, and reads from, when that does not work.
@Suite("focusctl's standard input and output", .fewAtATime) struct OutputTests {
    /// Runs a script of bash in which `$0` is focusctl. Gives what it prints.
    private func run(_ script: String) async throws -> String {
        let child = try ChildProcess("/bin/bash", ["-c", script, FocusdProcess.binary("focusctl")], input: "/dev/null")
        let output = await child.rest()
        _ = await child.exitCode()
        return output
    }

    @Test("A full disk is told in one line, with exit code 1", arguments: ["conformance --list", "--help"])
    func full(_ command: String) async throws {
        let output = try await run("\"$0\" \(command) 2>&1 >/dev/full; echo \"$?\"")
        #expect(output == "Error: The output cannot be written: No space left on device.\n1\n")
    }

    @Test("A reader that is gone is no news: exit code 1 and not a word")
    func gone() async throws {
        let output = try await run(
            "exec 3> >(true); wait $!; trap '' PIPE; \"$0\" conformance --list 2>&1 >&3; echo \"$?\"")
        #expect(output == "1\n")
    }

    @Test("What cannot be said on standard error changes nothing")
    func unheard() async throws {
        let output = try await run("\"$0\" replay --parallel 0 2>/dev/full; echo \"$?\"")
        #expect(output == "2\n")
    }
}
