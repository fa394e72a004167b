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
            Examples:
              focusd serve --plaintext
              focusd config --config /etc/focusd.json

            Exit codes: 0 done, 1 failed, 2 usage.
            """,
        version: FocusCore.version,
        subcommands: [Serve.self, ConfigCommand.self])

    static func main() async {
        var settings: Settings?
        do {
            let typed = Array(CommandLine.arguments.dropFirst())
            settings = try serveSettings(typed)
            var command = try parseAsRoot(settings.map { ["serve"] + $0.arguments } ?? typed)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            // ArgumentParser's own code for a wrong command line is 64; ours is 2 (README).
            let code = exitCode(for: error)
            let text = ([fullMessage(for: error)] + (settings?.origins(of: message(for: error)) ?? []))
                .joined(separator: "\n")
            // A text that cannot be written is dropped: the exit code tells of the failure too.
            if code == .success {
                print(text)
            } else if !text.isEmpty {
                try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
            }
            Foundation.exit(code == .validationFailure ? 2 : code.rawValue)
        }
    }

    /// The settings of `focusd serve`; nil: it is another command, or only its help is asked for. Throws
    /// `ValidationError`.
    private static func serveSettings(_ typed: [String]) throws -> Settings? {
        guard typed.first == "serve", !typed.contains(where: { ["--help", "-h", "--version"].contains($0) }) else {
            return nil
        }
        do {
            return try Settings(Array(typed.dropFirst()), environment: ProcessInfo.processInfo.environment)
        } catch {
            throw ValidationError(error.description)
        }
    }
}
