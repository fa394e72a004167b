import ArgumentParser

/// `focusctl bench`: how much load a server and its log can take. `ops/bench` compares the results with yardsticks.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Load a server as many devices would, read its log as fast as it goes, or fold a long route.",
        discussion: """
            Examples:
              focusctl bench append --plaintext --devices 64 --batch 100 --events 200000
              focusctl bench replay --data-dir /var/lib/focusd

            \(ExitStatus.help)
            """,
        subcommands: [BenchAppendCommand.self, BenchReplayCommand.self, BenchRouteCommand.self])
}
