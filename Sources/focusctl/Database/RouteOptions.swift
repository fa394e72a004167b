import ArgumentParser
import EventStore
import FocusCore
import FocusSyncClient
import PostgresClient
import Programs

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
        let configuration = try source.configuration("focusctl-route")
        let connection = try PostgresConnection(configuration)
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        let partition = log.partition(of: user)
        guard let loaded = try RouteLoader().load(route, of: app, user: user, in: partition, on: connection) else {
            throw CommandFailure("\(app) has no route \(route) of this user.")
        }
        OperatorRecord.note("route", of: [user], configuration)
        return loaded
    }

    /// The same, ready to be written to a file.
    func export() throws -> RouteExport {
        let loaded = try load()
        do {
            return try RouteExport(loaded.row, loaded.track.points)
        } catch {
            throw CommandFailure("\(route): \(error)")
        }
    }
}
