import ArgumentParser
import EventStore
import Foundation
import PostgresClient
import Programs

/// `focusctl projections drop-old`.
struct ProjectionsDropOldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop-old",
        abstract: "Give up the generations that no partition shows, also an unfinished one.",
        discussion: """
            Example:
              focusctl projections drop-old

            \(ExitStatus.help)
            """)

    @OptionGroup var source: DatabaseOptions

    func run() throws {
        let run = RebuildRun(source: source, options: RebuildOptions(), json: false)
        let dropped = try run.reporting { try $0.dropOld() }
        Terminal.line(
            dropped.isEmpty
                ? "nothing to drop" : "dropped generation \(dropped.map(String.init).joined(separator: ", "))")
    }
}
