import Answers
import ArgumentParser
import FocusCore
import Foundation
import Programs
import SeededNumbers

/// `focus-bench route`.
struct BenchRouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Fold a recorded route, and time it; needs no server.",
        discussion: """
            A walk at about 1 Hz, the same for the same seed, in events of so many
            points each, goes through the whole fold: filter, order, distance on WGS 84,
            splits, elevation, bounds, and the row as devices get it after each event.

            With --json, one object; points counts those of all repetitions:
              {"points":1000000,"distance_m":20123.4,"splits":21,"seconds":0.900000,
               "points_per_second":1111111.1,"cpu_user_seconds":0.890,
               "cpu_system_seconds":0.010}

            Example:
              focus-bench route --points 10000 --repeat 100 --json

            \(ExitStatus.help)
            """)

    @Option(help: "Points of the route.")
    var points = 10_000
    @Option(help: "Points of an event, 1 to 3000.")
    var batch = 1_000
    @Option(help: "How often the route is folded.")
    var `repeat` = 100
    @Option(help: "Seed of the walk.")
    var seed: UInt64 = 1
    @Option(help: "Write latitude and longitude of each point there, as pairs of doubles of this machine.")
    var out: String?
    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        guard (2...EventLimits.pointsPerRoute).contains(points) else {
            throw ValidationError("--points is 2 to \(EventLimits.pointsPerRoute).")
        }
        guard (1...EventLimits.pointsPerBatch).contains(batch) else {
            throw ValidationError("--batch is 1 to \(EventLimits.pointsPerBatch).")
        }
        guard (1...1_000_000).contains(`repeat`) else { throw ValidationError("--repeat is 1 to 1000000.") }
    }

    func run() throws {
        let walk = RouteWalk(points: points, seed: seed)
        if let out { try walk.write(to: out) }
        let events = try walk.events(batch: batch)
        var row = try Self.fold(events)
        let processor = ProcessorTime.ofThisProcess
        let began = ContinuousClock.now
        for _ in 0..<`repeat` { row = try Self.fold(events) }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        let used = ProcessorTime.ofThisProcess - processor
        let folded = points * `repeat`
        guard json else {
            return Terminal.line(
                String(
                    format: "%d points %d times in %.3f s: %.0f points/s, %.3f m in %d splits", points, `repeat`,
                    seconds, Double(folded) / seconds, row.aggregates.distance, row.aggregates.splits.count))
        }
        var text = JSONText()
        text.add("points", folded)
        text.addRaw("distance_m", "\(row.aggregates.distance)")
        text.add("splits", row.aggregates.splits.count)
        text.addRaw("seconds", String(format: "%.6f", seconds))
        text.addRaw("points_per_second", String(format: "%.1f", Double(folded) / seconds))
        text.addRaw("cpu_user_seconds", String(format: "%.3f", used.user))
        text.addRaw("cpu_system_seconds", String(format: "%.3f", used.system))
        Terminal.line(text.text)
    }

    private static func fold(_ events: [Event]) throws -> RouteRow {
        var state = UserState(user: UserID(UUID()))
        for event in events { _ = try state.apply(event) }
        guard let row = state.row(RouteWalk.key) else { throw CommandFailure("The fold has no route.") }
        return try RouteRow(decoding: row.value)
    }
}

/// A walk at about 1 Hz with turns, pauses and noise.
struct RouteWalk {
    private static let app = AppID("com.example.bench")!
    static let key = RowKey(.routes, app: app, key: "walk")

    let points: [RoutePoint]

    init(points count: Int, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (time, heading, latitude, longitude, altitude) = (1_700_000_000_000_000 as Int64, 0.3, 46.05, 14.5, 300.0)
        points = (0..<count).map { index in
            time += Int64.random(in: 900_000...1_100_000, using: &random)
            heading += Double.random(in: -0.3...0.3, using: &random)
            let step = index % 400 > 370 ? 0.05 : Double.random(in: 1...3.5, using: &random)
            latitude += step * cos(heading) / 111_000
            longitude += step * sin(heading) / 77_000
            altitude += Double.random(in: -1...1.05, using: &random)
            return RoutePoint(
                time: Timestamp(microseconds: time), latitude: latitude, longitude: longitude, altitude: altitude,
                horizontalAccuracy: 5, verticalAccuracy: 4, speed: step, course: 12)
        }
    }

    /// The events of the walk as the log would have them, with `batch` points each.
    func events(batch: Int) throws -> [Event] {
        var bodies: [EventBody] = [
            .routeStarted(RouteStarted(routeID: Self.key.key, activity: "walking", utcOffsetSeconds: 0))
        ]
        for start in stride(from: 0, to: points.count, by: batch) {
            let some = Array(points[start..<min(points.count, start + batch)])
            bodies.append(.routeLocationsInserted(RouteLocationsInserted(routeID: Self.key.key, points: some)))
        }
        let device = DeviceID(UUID())
        return bodies.enumerated().map { index, body in
            Event(
                version: Version(Int64(index + 1)), device: device, incarnation: Incarnation(1),
                sequence: DeviceSequence(Int64(index + 1)), id: EventID(UUID()), app: Self.app,
                occurredAt: points[0].time, recordedAt: points[0].time, body: body)
        }
    }

    func write(to path: String) throws {
        let places = points.flatMap { [$0.latitude, $0.longitude] }
        do {
            try places.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: path)) }
        } catch {
            throw CommandFailure("\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
