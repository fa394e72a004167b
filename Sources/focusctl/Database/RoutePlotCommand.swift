import ArgumentParser
import FocusCore
import FocusSyncClient
import Foundation
import Programs

/// `focusctl route plot`.
struct RoutePlotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot",
        abstract: "Draw a finished route: its track, elevation, speed and splits (rule R8).",
        discussion: """
            The picture is one SVG file, for any browser, and follows its light or
            dark mode. The track is coloured by speed; it is dashed where no point
            was recorded for more than two minutes. The figures are the route's own,
            also where what is drawn is smoothed.

            Examples:
              focusctl route plot morning --user $U --app com.example.trails \\
                --svg morning.svg
              focusctl route plot morning --user $U --app com.example.trails \\
                --smooth 10 --svg - > morning.svg

            \(ExitStatus.help)
            """)

    @OptionGroup var options: RouteOptions
    @Option(help: "The file to write; - is standard output.")
    var svg: String
    @OptionGroup var smooth: SmoothingOption

    func run() throws {
        let route = try options.export()
        if svg == "-" {
            var output = BufferedOutput()
            SVGWriter.write(route, smoothing: smooth.smoothing, to: &output)
            return output.flush()
        }
        var picture = ""
        SVGWriter.write(route, smoothing: smooth.smoothing, to: &picture)
        do {
            try picture.write(toFile: svg, atomically: true, encoding: .utf8)
        } catch {
            throw CommandFailure("\(svg) cannot be written: \(error.localizedDescription)")
        }
    }
}

/// How a route's points are smoothed before they are written or drawn.
struct SmoothingOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Smooth the points by their neighbours up to so many seconds away, 1 to 60, weighted by accuracy.",
            valueName: "seconds"))
    var smooth: Double?

    /// Nil: not at all.
    var smoothing: RouteSmoothing? { smooth.flatMap { RouteSmoothing(seconds: $0) } }

    func validate() throws {
        guard smooth == nil || smoothing != nil else { throw ValidationError("--smooth is 1 to 60 seconds.") }
    }
}
