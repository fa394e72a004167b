import Answers
import ArgumentParser
import EventStore
import FocusCore
import FocusSyncClient
import Programs

/// `focusctl route show`.
struct RouteShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a route: its figures and splits, elevation and speed over distance.",
        discussion: """
            In a terminal elevation and speed are drawn as wide as it is; elsewhere
            they are a table.

            With --json, one object; route is the row as proto3 JSON (RouteRow in
            Schema/README.md), profile at most 20 stretches of equal length:
              {"route":{…},"profile":[{"fromM":0.0,"toM":412.5,"elevationM":301.2,
               "speedMps":2.51}]}
            M is metres, Mps metres per second. elevationM is absent where no point has
            an altitude. A route without length has an empty profile.

            Examples:
              focusctl route show morning --user $U --app com.example.trails
              focusctl route show morning --user $U --app com.example.trails --json

            \(ExitStatus.help)
            """)

    @OptionGroup var options: RouteOptions
    @Option(help: "Columns to draw in. Default: the terminal's.")
    var width: Int?
    @Flag(help: "Print one JSON object: the row as devices get it, and the profile.")
    var json = false

    /// Rows of the table, and stretches in the JSON.
    private static let stretches = 20

    func validate() throws {
        if let width, !(40...1_000).contains(width) { throw ValidationError("--width is 40 to 1000.") }
    }

    func run() throws {
        let loaded = try options.load()
        let points = loaded.track.points
        let distances = RouteDistances(points)
        let table = RouteProfile(points, distances, count: Self.stretches)
        if json {
            Terminal.line(RouteProfileText.json(loaded.row, table))
            return
        }
        RouteText.lines(loaded.row).forEach(Terminal.line)
        if let width = width ?? Terminal.width {
            RouteProfileText.charts(points, distances, width: width).forEach(Terminal.line)
        } else {
            RouteProfileText.table(table).forEach(Terminal.line)
        }
    }
}
