import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import Foundation
import Programs

/// `focusctl import`.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Bring recordings and settings in.",
        discussion: """
            Examples:
              focusctl import gpx run.gpx --app com.example.run \\
                --plaintext --token-file token
              focusctl import settings-bundle Settings.bundle --app com.example.chat \\
                --plaintext --token-file token

            \(ExitStatus.help)
            """,
        subcommands: [ImportGPXCommand.self, ImportSettingsBundleCommand.self])
}

/// `focusctl import gpx`.
struct ImportGPXCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gpx",
        abstract: "Import a GPX 1.0 or 1.1 file as a route.",
        discussion: """
            All tracks of the file become one finished route with its workout.
            Points without a time are counted and left out. Before, a system
            session must have registered the app, authorized location, shareRoutes
            and shareWorkouts, and asked for readRoutes and readWorkouts (rule R1).

            With --json, one object; route is the row as proto3 JSON (RouteRow in
            Schema/README.md), version the user's:
              {"routeId":"…","workoutId":"…","points":3600,"pointsWithoutTime":0,
               "version":17,"route":{…}}

            Example:
              focusctl import gpx walk.gpx --app com.example.trails \\
                --utc-offset +02:00 --plaintext --token-file token

            \(ExitStatus.help)
            """)

    @Argument(help: "The GPX file.")
    var file: String
    @Option(help: "The app that the route is of.")
    var app: AppID
    @Option(help: "What was done, for example hiking, running or cycling.")
    var activity = "hiking"
    @Option(help: "How far local time was ahead of UTC: +02:00, -05:30 or Z. Decides the calendar day (rule R7).")
    var utcOffset = UTCOffset.zero
    @Option(help: "The route's id in the app. Default: a new UUID.")
    var route: String?
    @Option(help: "The workout's id in the app. Default: a new UUID.")
    var workout: String?
    @Flag(help: "Print one JSON object.")
    var json = false
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let gpx: GPXFile
        do {
            gpx = try GPXReader.read(contentsOfFile: file)
        } catch {
            throw CommandFailure("\(file): \(error)")
        }
        let points = gpx.points
        guard let first = points.map(\.time).min(), let last = points.map(\.time).max() else {
            throw CommandFailure("\(file): \(GPXError.noPoints(withoutTime: gpx.pointsWithoutTime))")
        }
        let routeID = route ?? UUID().uuidString.lowercased()
        let workoutID = workout ?? UUID().uuidString.lowercased()
        var bodies: [EventBody] = [
            .routeStarted(RouteStarted(routeID: routeID, activity: activity, utcOffsetSeconds: utcOffset.seconds))
        ]
        bodies += PointBatches.events(routeID: routeID, points)
        bodies.append(
            .workoutSaved(WorkoutSaved(workoutID: workoutID, activity: activity, start: first, end: last)))
        bodies.append(.routeFinished(RouteFinished(routeID: routeID, workoutID: workoutID)))

        let client = try connection.makeClient()
        do {
            let outcomes = try await client.append(bodies.map { EventDraft($0, app: app) })
            try check(outcomes)
            guard let version = outcomes.last?.version else { return }
            let key = RowKey(.routes, app: app, key: routeID)
            try await client.wait { store in
                try store.cursor.map { $0.version >= version } ?? false && store.row(key) != nil
            }
            try show(client.store.row(key), gpx, workoutID: workoutID, version: version)
        } catch {
            await client.close()
            throw error
        }
        await client.close()
    }

    private func check(_ outcomes: [AppendOutcome]) throws {
        for outcome in outcomes {
            guard case .refused(let code, let message) = outcome.verdict else { continue }
            var hint = ""
            if code == RefusalCode.notAuthorized.rawValue || code == RefusalCode.appUnknown.rawValue {
                hint = " A system session must register and authorize \(app) first: `focusctl import gpx --help`."
            }
            throw CommandFailure("\(outcome.type) was refused: \(code): \(message)\(hint)")
        }
    }

    private func show(_ row: ConfirmedRow?, _ gpx: GPXFile, workoutID: String, version: Version) throws {
        guard let row else { return }
        if json {
            var object = JSONText()
            object.add("routeId", row.key.key)
            object.add("workoutId", workoutID)
            object.add("points", gpx.points.count)
            object.add("pointsWithoutTime", gpx.pointsWithoutTime)
            object.add("version", version.rawValue)
            object.addRaw("route", RowText.json(.routes, row.value))
            Terminal.line(object.text)
        } else {
            let route = try RouteRow(decoding: row.value)
            RouteText.lines(route, timed: gpx.points.count, untimed: gpx.pointsWithoutTime).forEach(Terminal.line)
        }
    }
}
