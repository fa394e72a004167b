import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import Programs

/// `focusctl fetch points`.
struct FetchPointsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "points",
        abstract: "Print a route's accepted points in the order of time, as they come, page by page.",
        discussion: """
            Columns: time, latitude, longitude, altitude and horizontal accuracy in
            metres.

            With --json, one object per point:
              {"time":"…","latitude":46.05,"longitude":14.5,"altitude":301.2,
               "verticalAccuracy":3.0,"horizontalAccuracy":5.0,"speed":2.5,
               "course":90.0}
            Degrees, metres, and metres per second. What is not known is absent: speed,
            course, and altitude together with verticalAccuracy.

            Examples:
              focusctl fetch points morning --plaintext --token-file token
              focusctl fetch points morning --app com.example.trails \\
                --from 2026-11-21T07:30:00Z --to 2026-11-21T07:35:00Z \\
                --plaintext --token-file token --json

            Exit codes: 0 done, 1 failed, also when there is no such route or the
            session may not read it, 2 usage.
            """)

    @Argument(help: "The route's id in its app.")
    var route: String
    @Option(help: "The app that the route is of. Default: the token's.")
    var app: AppID?
    @Option(help: "Only points at this time and after it.")
    var from: FetchTime?
    @Option(help: "Only points at this time and before it.")
    var to: FetchTime?
    @OptionGroup var options: FetchOptions

    func validate() throws {
        if let from, let to, from.time > to.time { throw ValidationError("--from is after --to.") }
    }

    func run() async throws {
        let times =
            (from?.time ?? Timestamp(microseconds: .min))...(to?.time ?? Timestamp(microseconds: .max))
        try await options.ask(app) { routes in
            guard let app = routes.app else { throw SyncClientError.noApp }
            for try await page in routes.pages(of: AppItem(app, route), between: times) {
                for point in page { Terminal.line(options.json ? FetchText.json(point) : FetchText.line(point)) }
            }
        }
    }
}

/// A time as people write it.
struct FetchTime: ExpressibleByArgument {
    let time: Timestamp

    init?(argument: String) {
        guard let time = Timestamp(rfc3339: argument) else { return nil }
        self.time = time
    }
}
