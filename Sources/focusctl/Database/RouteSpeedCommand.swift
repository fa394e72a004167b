import Answers
import ArgumentParser
import EventStore
import FocusCore
import Programs

/// `focusctl route speed`.
struct RouteSpeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "speed",
        abstract: "Say how fast a route was between two moments (rule R6).",
        discussion: """
            Between neighbouring points the way passes linearly in time. There is
            no speed outside the route, nor of a single moment.

            With --json, one object; speedMps, in metres per second, is null where
            there is none:
              {"from":"…","to":"…","speedMps":2.51}

            Examples:
              focusctl route speed morning --user $U --app com.example.trails \\
                --from 2026-11-21T07:30:00Z --to 2026-11-21T07:35:00Z
              focusctl route speed morning --user $U --app com.example.trails \\
                --from 60 --to 360

            \(ExitStatus.help)
            """)

    @OptionGroup var options: RouteOptions
    @Option(help: "From when: a time, or seconds from the route's start.")
    var from: RouteMoment
    @Option(help: "Until when: a time, or seconds from the route's start.")
    var to: RouteMoment
    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        let loaded = try options.load()
        let sums = loaded.row.aggregates
        guard let start = sums.start, let end = sums.end else { throw CommandFailure("The route has no points yet.") }
        let first = from.time(from: start)
        let last = to.time(from: start)
        let speed = loaded.track.distances.speed(from: first, to: last)
        if json {
            Terminal.line(RouteSpeedText.json(speed, from: first, to: last))
        } else if let speed {
            Terminal.line("\(RouteSpeedText.text(speed)) from \(first.rfc3339) to \(last.rfc3339)")
        } else {
            Terminal.line("none: the route goes from \(start.rfc3339) to \(end.rfc3339)")
        }
    }
}
