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
        let connection = try PostgresConnection(source.configuration("focusctl-route"))
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        let partition = log.partition(of: user)
        guard let loaded = try RouteLoader().load(route, of: app, user: user, in: partition, on: connection) else {
            throw CommandFailure("\(app) has no route \(route) of this user.")
        }
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
