import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import Programs

/// `focusctl fetch speed`.
struct FetchSpeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "speed",
        abstract: "Say how fast a route was between two moments (rule R6).",
        discussion: """
            With --json, one object, as `focusctl route speed --json`:
              {"from":"…","to":"…","speedMps":2.51}

            Example:
              focusctl fetch speed morning --from 2026-11-21T07:30:00Z \\
                --to 2026-11-21T07:35:00Z --plaintext --token-file token

            Exit codes: 0 done, also when there is no speed because some of the time
            is outside the route; 1 failed, also when there is no such route or the
            session may not read it; 2 usage.
            """)

    @Argument(help: "The route's id in its app.")
    var route: String
    @Option(help: "The app that the route is of. Default: the token's.")
    var app: AppID?
    @Option(help: "From when, for example 2026-11-21T07:30:00Z.")
    var from: FetchTime
    @Option(help: "Until when.")
    var to: FetchTime
    @OptionGroup var options: FetchOptions

    func run() async throws {
        try await options.ask(app) { routes in
            let speed = try await routes.speed(of: route, from: from.time, to: to.time)
            if options.json {
                Terminal.line(RouteSpeedText.json(speed, from: from.time, to: to.time))
            } else if let speed {
                Terminal.line(RouteSpeedText.text(speed))
            } else {
                Terminal.line("none: some of it is outside the route")
            }
        }
    }
}
