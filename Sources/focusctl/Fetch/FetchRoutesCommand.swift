import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import Programs

/// `focusctl fetch routes`.
struct FetchRoutesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "routes",
        abstract: "List the routes that the session may read.",
        discussion: """
            With --json, one object per route:
              {"app":"com.example.trails","routeId":"morning","activity":"hiking",
               "state":"finished","workoutId":"…","points":3600,"distanceM":8250.4,
               "start":"…","end":"…"}
            state is open or finished. points counts the accepted ones, distanceM is in
            metres. workoutId is absent in an open route, start and end without points.

            Example:
              focusctl fetch routes --plaintext --token-file token --json

            \(ExitStatus.help)
            """)

    @OptionGroup var options: FetchOptions

    func run() async throws {
        try await options.ask(nil) { routes in
            let found = try await routes.fetchAll().sorted { $0.key < $1.key }
            if options.json {
                for (item, row) in found { Terminal.line(FetchText.json(item, row)) }
            } else {
                FetchText.table(found).forEach(Terminal.line)
            }
        }
    }
}

/// `focusctl fetch workouts`.
struct FetchWorkoutsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workouts",
        abstract: "List the workouts that the session may read.",
        discussion: """
            With --json, one object per workout:
              {"app":"com.example.trails","workoutId":"…","activity":"hiking",
               "start":"…","end":"…"}

            Example:
              focusctl fetch workouts --plaintext --token-file token

            \(ExitStatus.help)
            """)

    @OptionGroup var options: FetchOptions

    func run() async throws {
        try await options.ask(nil) { routes in
            let found = try await routes.fetchWorkouts().sorted { $0.key < $1.key }
            if options.json {
                for (item, row) in found { Terminal.line(FetchText.json(item, row)) }
            } else {
                FetchText.table(found).forEach(Terminal.line)
            }
        }
    }
}
