import ArgumentParser
import EventStore
import FocusCore
import PostgresClient
import Programs

/// `focusctl route`.
struct RouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route", abstract: "Look at a recorded route, ask for its speed, write it to a file.",
        subcommands: [RouteShowCommand.self, RouteSpeedCommand.self, RouteExportCommand.self])
}

/// Which route, and where it is.
struct RouteOptions: ParsableArguments {
    @Argument(help: "The route's id in its app.")
    var route: String
    @Option(help: "The user, a UUID.")
    var user: UserID
    @Option(help: "The app that the route is of.")
    var app: AppID
    @OptionGroup var source: DatabaseOptions

    /// The route as the log has it now.
    func load() throws -> LoadedRoute {
        let connection = try PostgresConnection(source.configuration("focusctl-route"))
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        let partition = log.partition(of: user)
        guard let loaded = try RouteLoader().load(route, of: app, user: user, in: partition, on: connection) else {
            throw CommandFailure("\(app) has no route \(route) of this user.")
        }
        return loaded
    }
}

/// A moment of a route as people write it: a time, or seconds from the route's start.
enum RouteMoment: ExpressibleByArgument, Hashable {
    case time(Timestamp)
    case microsecondsFromStart(Int64)

    init?(argument: String) {
        if let seconds = Double(argument), abs(seconds) < 1e12 {
            self = .microsecondsFromStart(Int64((seconds * 1e6).rounded()))
        } else if let time = Timestamp(rfc3339: argument) {
            self = .time(time)
        } else {
            return nil
        }
    }

    func time(from start: Timestamp) -> Timestamp {
        switch self {
        case .time(let time): time
        case .microsecondsFromStart(let microseconds): start.adding(microseconds: microseconds)
        }
    }
}
