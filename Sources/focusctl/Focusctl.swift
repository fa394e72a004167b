import ArgumentParser
import FocusCore
import Programs

/// Everything that a person does with focus-sync: act as a device, look, replay, administer. This type composes the
/// commands and decides nothing.
@main
struct Focusctl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "focusctl",
        abstract: "Act as a device of a focus-sync server, look at what it holds, administer it.",
        discussion: """
            Example:
              focusctl token --user $U --device $D --system > token
              focusctl append --plaintext --token-file token < events.ndjson
              focusctl sync --plaintext --token-file token

            \(ExitStatus.help)
            """,
        version: FocusCore.version,
        subcommands: [
            TokenCommand.self, KeysCommand.self, AppendCommand.self, SyncCommand.self, WatchCommand.self,
            DeviceCommand.self,
            ImportCommand.self, PreferencesCommand.self, FetchCommand.self, RouteCommand.self, ExplainCommand.self,
            ReplayCommand.self, StateCommand.self, DiffCommand.self, TimelineCommand.self, WhatIfCommand.self,
            AdviseCommand.self, LintCommand.self,
            RulesCommand.self,
            ProjectionsCommand.self, MigrateCommand.self, BackupCommand.self, RestoreCommand.self, LostCommand.self,
            GenerateCommand.self, PsqlCommand.self, DatabaseCommand.self,
        ])

    static func main() async { await Programs.run(Focusctl.self) }
}
