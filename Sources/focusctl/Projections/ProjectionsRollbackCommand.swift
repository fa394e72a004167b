import ArgumentParser
import EventStore
import Foundation
import PostgresClient
import Programs

/// `focusctl projections rollback`.
struct ProjectionsRollbackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Show the generation again that was kept by a rebuild.",
        discussion: """
            It is brought to the end of the log first, and each partition is changed
            over as by a rebuild. The generation that was shown is kept: another
            rollback shows it again.

            With --json, one object, as `focusctl projections rebuild --json`, with
            "events":0 and "dropped":[].

            Example:
              focusctl projections rollback

            \(ExitStatus.help)
            """)

    @Flag(help: "One JSON object at the end.")
    var json = false
    @OptionGroup var source: DatabaseOptions

    func run() throws {
        let run = RebuildRun(source: source, options: RebuildOptions(), json: json)
        try run.perform { try $0.rollBack() }
    }
}
