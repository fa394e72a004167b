import FocusCore
import FocusSyncClient
import Foundation
import Testing

/// The real `focusctl` against a real `focusd`, as a user at a terminal runs it.
struct FocusctlCommands {
    struct Result {
        var exitCode: Int32?
        var output: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }

        /// The JSON object in the last line.
        func json() throws -> [String: Any] {
            let line = try #require(lines.last)
            return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    let server: FocusdProcess
    let user: UserID

    /// The options of every command that acts as a device; each device name has a store of its own.
    func device(_ name: String, _ device: DeviceID, _ scope: Scope = .system) async throws -> [String] {
        [
            "--plaintext", "--server", server.address.description, "--state", "\(server.directory)/\(name)", "--token",
            try TestServer.token(user, device, scope),
        ]
    }

    /// The options that name the log, for commands that read it.
    func log(_ app: AppID) -> [String] {
        ["--data-dir", server.directory, "--user", user.description, "--app", app.rawValue]
    }

    /// Runs a command to its end.
    func run(_ arguments: [String], input: String? = nil) async throws -> Result {
        var file: String?
        if let input {
            file = "\(server.directory)/input-\(UUID())"
            try input.write(toFile: file!, atomically: true, encoding: .utf8)
        }
        let child = try ChildProcess(FocusdProcess.binary("focusctl"), arguments, input: file ?? "/dev/null")
        let output = await child.rest()
        return Result(exitCode: await child.exitCode(), output: output)
    }

    /// Runs a command to its end and expects exit code 0.
    func succeed(_ arguments: [String], input: String? = nil) async throws -> Result {
        let result = try await run(arguments, input: input)
        #expect(result.exitCode == 0, "focusctl \(arguments.joined(separator: " ")): \(result.output)")
        return result
    }

    /// Starts a command that keeps running.
    func start(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(FocusdProcess.binary("focusctl"), arguments)
    }
}
