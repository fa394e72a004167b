import ArgumentParser
import FocusCore
import Foundation

/// The command line of the sync server. It composes the modules and decides nothing itself.
@main
struct Focusd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "focusd",
        abstract:
            "The focus-sync server: devices append over TCP, PostgreSQL keeps, every device gets what it may know.",
        discussion: """
            Example:
              focusd serve --plaintext
            Exit codes: 0 done, 1 failed, 2 usage.
            """,
        version: FocusCore.version,
        subcommands: [Serve.self])

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            // ArgumentParser's own code for a wrong command line is 64; ours is 2 (README).
            let code = exitCode(for: error)
            let text = fullMessage(for: error)
            // A text that cannot be written is dropped: the exit code tells of the failure too.
            if code == .success {
                print(text)
            } else if !text.isEmpty {
                try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
            }
            Foundation.exit(code == .validationFailure ? 2 : code.rawValue)
        }
    }
}
