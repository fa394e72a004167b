import ArgumentParser
import Programs

/// `focusctl database`.
struct DatabaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database",
        abstract: "Tell where the log's database is and how other tools reach it.",
        discussion: """
            Examples:
              focusctl database show
              focusctl database url

            \(ExitStatus.help)
            """,
        subcommands: [DatabaseShowCommand.self, DatabaseURLCommand.self])
}
