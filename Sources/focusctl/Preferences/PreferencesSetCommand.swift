import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import Programs

/// `focusctl preferences set`.
struct PreferencesSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set a preference.",
        discussion: """
            1, 1.0, true and the text 1 are four values: --type says which is meant
            (rule D2). Types: bool (true, false, yes, no), integer, real, string,
            date (2026-01-01T09:00:00Z), data (base64), and json for the others,
            {"array":{"values":[{"integer":"1"}]}}; see PropertyValue in
            Schema/README.md. Prints the effective value that came of it, which is
            another one when a later change was made elsewhere (rule E3).

            With --json, one object, as `focusctl preferences get --json`.

            Examples:
              focusctl preferences set greeting Hello --app com.example.chat \\
                --plaintext --token-file token
              focusctl preferences set volume --type real --app com.example.chat \\
                --plaintext --token-file token -- -0.5

            \(ExitStatus.help)
            """)

    @Argument(help: "The preference's key.")
    var key: String
    @Argument(help: "The value.")
    var value: String
    @Option(name: .customLong("type"), help: "What the value is: bool, integer, real, string, date, data or json.")
    var kind = PropertyText.Kind.string
    @Option(help: "The app that the preference is of.")
    var app: AppID
    @Flag(help: "Print one JSON object.")
    var json = false
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        do {
            _ = try PropertyText.value(value, as: kind)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() async throws {
        let body = PreferenceChanged(key: key, value: try PropertyText.value(value, as: kind))
        let change = PreferenceWrite(body: .preferenceChanged(body), key: RowKey(.preferences, app: app, key: key))
        try await change.run(connection, app, asJSON: json)
    }
}

extension PropertyText.Kind: ExpressibleByArgument {}
