import ArgumentParser
import Foundation

/// The command `focusd config`.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check settings and show each with its value and where it is from; start nothing.",
        discussion: """
            Takes the options of focusd serve. Every one of them may also stand in the
            environment (FOCUSD_TLS_CERT is --tls-cert), or in the JSON file that
            --config or FOCUSD_CONFIG names:
              {"listen":"0.0.0.0:7464","tls-cert":"chain.pem","tls-key":"key.pem",
               "limit-loopback":true,"trusted-proxy":["10.0.0.0/8"]}

            An option counts before the environment, the environment before the file,
            the file before what is usual. What may be given several times is taken
            from one place, and separated by commas in the environment. A name that
            is no setting is an error.

            With --json, one object per line:
              {"setting":"listen","value":"0.0.0.0:7464","source":"file",
               "from":"/etc/focusd.json"}

            Examples:
              focusd config --config /etc/focusd.json
              focusd config --plaintext --cache 2GiB --json

            Exit codes: 0 the settings are good, 1 failed, 2 they are not.
            """)

    @Flag(help: "JSON, one setting per line.")
    var json = false
    @Argument(parsing: .allUnrecognized, help: "The options of focusd serve.")
    var options: [String] = []

    func run() throws {
        let settings: Settings
        do {
            settings = try Settings(options, environment: ProcessInfo.processInfo.environment)
        } catch {
            throw ValidationError(error.description)
        }
        do {
            _ = try Serve.parse(settings.arguments)
        } catch {
            let complaint = Serve.message(for: error)
            throw ValidationError(([complaint] + settings.origins(of: complaint)).joined(separator: "\n"))
        }
        let text = SettingsText(settings: settings)
        let lines = (json ? text.json : text.lines).map { $0 + "\n" }.joined()
        try FileHandle.standardOutput.write(contentsOf: Data(lines.utf8))
    }
}
