import ArgumentParser
import EventStore
import FocusCore
import PostgresClient
import Programs

/// `focusctl route`.
struct RouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route", abstract: "Look at a recorded route, ask for its speed, draw it, write it to a file.",
        subcommands: [
            RouteShowCommand.self, RouteSpeedCommand.self, RoutePlotCommand.self, RouteExportCommand.self,
        ])
}
