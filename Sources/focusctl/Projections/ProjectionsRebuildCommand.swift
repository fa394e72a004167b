import ArgumentParser
import EventStore
import Foundation
import PostgresClient
import Programs

/// `focusctl projections rebuild`.
struct ProjectionsRebuildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild",
        abstract: "Build the read model anew from the log, and show it.",
        discussion: """
            Devices go on appending and syncing. The new generation has tables of
            its own. Each partition is filled and compared with what is shown; when
            all are, each is cut over in one short transaction. Devices get exactly
            the rows that came out different. All collections are built together.

            Every focusd must know the event projection.rebuilt: upgrade them first.

            Whatever is killed meanwhile, --resume goes on from where it was, and keeps
            the old generation if the rebuild was begun with --keep-old. A log that lacks
            events is refused: what they say would be lost.

            With --json, one object at the end:
              {"generation":2,"previous":[1],"events":120000,"seconds":41.3,
               "usersChanged":0,"rowsChanged":0,"eventsAppended":0,
               "longestWaitMs":3.1,"p99WaitMs":2.4,"dropped":[1]}
            previous and dropped are generations. The waits are of appends, for their
            partition's cut-over.

            Examples:
              focusctl projections rebuild --all --verify --keep-old
              focusctl projections rebuild --resume
              focusctl projections rebuild --all --max-load 20 --json \\
                --database postgres://owner@db/focus

            \(ExitStatus.help)
            """)

    @Flag(help: "Every collection (there is no other choice yet).")
    var all = false
    @Flag(help: "Go on with what was interrupted.")
    var resume = false
    @Option(help: "Partitions at a time, 1 to 16.")
    var parallel = 2
    @Flag(help: "Fold every user once more and compare before anything is shown.")
    var verify = false
    @Flag(help: "Keep the generation that was shown before, for `rollback`.")
    var keepOld = false
    @Option(
        help: """
            Percent of the time that each parallel worker works at most, 1 to 100. The rest is left to appends. Below \
            100 it works less while commits take longer than before.
            """)
    var maxLoad = 40
    @Flag(help: "One JSON object at the end.")
    var json = false
    @OptionGroup var source: DatabaseOptions

    func validate() throws {
        guard (1...16).contains(parallel) else { throw ValidationError("--parallel is 1 to 16.") }
        guard (1...100).contains(maxLoad) else { throw ValidationError("--max-load is 1 to 100.") }
        guard !resume || !verify else {
            throw ValidationError("--resume goes on as the rebuild was begun: leave --verify out.")
        }
        guard all != resume else { throw ValidationError("Either --all or --resume.") }
    }

    func run() throws {
        var options = RebuildOptions()
        options.parallel = parallel
        options.verifies = verify
        options.keepsOld = keepOld
        options.maximumLoad = maxLoad
        // A lower priority than everything that serves devices.
        if maxLoad < 100 { options.niceness = 10 }
        options.isOnThisMachine = source.database == nil
        let run = RebuildRun(source: source, options: options, json: json)
        try run.perform { try resume ? $0.resume() : $0.rebuild() }
    }
}
