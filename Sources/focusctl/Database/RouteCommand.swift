import ArgumentParser
import EventStore
import FocusCore
import PostgresClient
import Programs

/// `focusctl route`.
struct RouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route", abstract: "Look at a recorded route, ask for its speed, draw it, write it to a file.",
        discussion: """
            Reads the log, as an operator. What a device may ask of the server:
            focusctl fetch.

            Examples:
              focusctl route show $ROUTE --user $U --app com.example.run
              focusctl route plot $ROUTE --user $U --app com.example.run \\
                --svg run.svg

            \(ExitStatus.help)
            """,
        subcommands: [
            RouteShowCommand.self, RouteSpeedCommand.self, RoutePlotCommand.self, RouteExportCommand.self,
        ])
}
