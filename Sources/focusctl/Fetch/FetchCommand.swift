import ArgumentParser
import FocusCore
import FocusSyncClient
import Programs

/// `focusctl fetch`: what a device may fetch from the server; `focusctl route` reads the log instead.
struct FetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Ask the server, as a device, what rows do not hold: routes, and whom a message reaches.",
        discussion: """
            A session of an app is told of its own app's, and of other apps' while
            it is authorized to read routes (workouts). `focusctl route` reads the
            log itself, as an operator.

            Example:
              focusctl fetch points morning --app com.example.trails \\
                --plaintext --token-file token

            \(ExitStatus.help)
            """,
        subcommands: [
            FetchRoutesCommand.self, FetchWorkoutsCommand.self, FetchPointsCommand.self, FetchSpeedCommand.self,
            FetchReachCommand.self,
        ])
}

/// The options of a fetch, which runs on a client that is closed afterwards.
struct FetchOptions: ParsableArguments {
    @Flag(help: "JSON, one object per line.")
    var json = false
    @OptionGroup var connection: ConnectionOptions

    /// - Parameter app: the app whose routes are fetched; nil: the token's app.
    func ask(_ app: AppID?, _ body: (AppRoutes) async throws -> Void) async throws {
        try await ask { client in try await body(app.map { client.route(of: $0) } ?? client.route) }
    }

    func ask(_ body: (SyncClient) async throws -> Void) async throws {
        let client = try connection.makeClient()
        do {
            try await body(client)
        } catch SyncClientError.noApp {
            await client.close()
            throw ValidationError("A system session must say which app is meant: give --app.")
        } catch {
            await client.close()
            throw error
        }
        await client.close()
    }
}
