import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import Programs

/// `focusctl preferences reset`.
struct PreferencesResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Take a preference's set value away, so that its default counts again.",
        discussion: """
            Prints the effective value that came of it.

            With --json, one object, as `focusctl preferences get --json`; value is null
            where the preference has none.

            Example:
              focusctl preferences reset volume --app com.example.chat \\
                --plaintext --token-file token

            \(ExitStatus.help)
            """)

    @Argument(help: "The preference's key.")
    var key: String
    @Option(help: "The app that the preference is of.")
    var app: AppID
    @Flag(help: "Print one JSON object.")
    var json = false
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let body = EventBody.preferenceReset(PreferenceReset(key: key))
        let change = PreferenceWrite(body: body, key: RowKey(.preferences, app: app, key: key))
        try await change.run(connection, app, asJSON: json)
    }
}
