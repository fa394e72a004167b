import ArgumentParser
import FocusCore
import Programs

/// How much load a server and its log can take. A program of its own, because nobody who runs a server needs it, and
/// because it writes into a log for good. `ops/bench` compares its results with yardsticks.
///
/// Flow of `append`: `LoadPlan` (how many devices append how much) → `LoadRun` (one thread for all of them) → each
/// `LoadDevice` sends the events of its `EventMix` through its `LoadSocket`, and learns from `LoadNews` what was
/// acknowledged and which rows came → `LoadReport`.
@main
struct FocusBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "focus-bench",
        abstract: "Load a server as many devices would, read its log as fast as it goes, or fold a long route.",
        discussion: """
            Examples:
              focus-bench append --plaintext --devices 64 --batch 100 --events 200000
              focus-bench replay --data-dir /var/lib/focusd

            \(ExitStatus.help)
            """,
        version: FocusCore.version,
        subcommands: [
            BenchAppendCommand.self, BenchAttackCommand.self, BenchReplayCommand.self, BenchRouteCommand.self,
        ])

    static func main() async { await Programs.run(FocusBench.self) }
}
