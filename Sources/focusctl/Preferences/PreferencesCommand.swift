import ArgumentParser
import Programs

/// `focusctl preferences`.
struct PreferencesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preferences", abstract: "Read, set, reset and watch an app's preferences.",
        discussion: """
            What counts is what was set, else the default that the app registered
            (rule D1); `focusctl import settings-bundle` registers defaults.

            Example:
              focusctl preferences set volume 0.5 --type real \\
                --app com.example.chat --plaintext --token-file token

            \(ExitStatus.help)
            """,
        subcommands: [
            PreferencesGetCommand.self, PreferencesSetCommand.self, PreferencesResetCommand.self,
            PreferencesWatchCommand.self,
        ])
}
