import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore

@Suite("RouteLoader")
struct RouteLoaderTests {
    private let fixture: StoreFixture
    private let app = AppID("com.example.run")!

    init() throws { fixture = try StoreFixture() }

    private let points = (0..<600).map { index in
        RoutePoint(
            time: Timestamp(microseconds: 1_760_000_000_000_000 + Int64(index) * 1_000_000),
            latitude: 47 + Double(index) * 2e-5, longitude: 8, altitude: 400, horizontalAccuracy: 5)
    }

    private func life(_ id: String) -> [EventBody] {
        let (start, end) = (points[0].time, points[599].time)
        return [
            .routeStarted(RouteStarted(routeID: id, activity: "running", utcOffsetSeconds: 0)),
            .routeLocationsInserted(RouteLocationsInserted(routeID: id, points: points.reversed())),
            .workoutSaved(WorkoutSaved(workoutID: "w", activity: "running", start: start, end: end)),
            .routeFinished(RouteFinished(routeID: id, workoutID: "w")),
        ]
    }

    private func project(_ user: UserID, on connection: PostgresConnection) throws {
        let loaded = try UserLoader().load([(RandomHistory.partition, user)], on: connection)
        let current = try loaded[user]!.get()
        let projected = ProjectedUser(
            current.state, keys: Array(current.touchedKeys), base: current.projectedVersion,
            dueAt: current.state.dueAt, stateBytes: nil)
        let batch = ProjectionBatch(
            partition: RandomHistory.partition, generation: 1, checkpoint: .zero, users: [projected])
        #expect(try ProjectionWriter().write(batch, on: connection).missing == [])
    }

    /// The ids include some that an index cannot hold as they are, alone or with the number of a chunk appended.
    @Test(
        "R6, R8: a route is loaded with its points, wherever the read model stands",
        arguments: ["a/1", String(repeating: "x", count: 1_024)],
        [0, 2, 3, 4])
    func loads(id: String, projected: Int) throws {
        let history = try RandomHistory(life(id).map { (app, $0) })
        let connection = try fixture.connection()
        let beginning = history.events.count - 4
        for (number, event) in history.events.enumerated() {
            let append = PartitionAppend(
                partition: RandomHistory.partition, expectedOffset: event.offset, events: [event])
            _ = try LogWriter().appendToEnd([append], on: connection)
            // The read model gets the first `projected` events of the route's life; the rest comes from the log.
            if number < beginning + projected { try project(history.users[0], on: connection) }
            let found = try RouteLoader().load(
                id, of: app, user: history.users[0], in: RandomHistory.partition, on: connection)
            #expect((found != nil) == (number >= beginning))
            guard let found else { continue }
            #expect(found.track.points == (number > beginning ? points : []))
            #expect(found.row.state == (number == beginning + 3 ? .finished : .open))
            #expect(found.track.aggregates == found.row.aggregates)
        }
        #expect(
            try RouteLoader().load(
                "other", of: app, user: history.users[0], in: RandomHistory.partition, on: connection) == nil)
    }

    @Test("R7: analysts see totals of each app and of all, and the bests")
    func totals() throws {
        let history = try RandomHistory((life("r") + life("s")).map { (app, $0) })
        let connection = try fixture.connection()
        try history.log(on: connection)
        try project(history.users[0], on: connection)
        for filter in ["app IS NULL", "app = 'com.example.run'"] {
            let row = "FROM read.route_totals WHERE activity = 'running' AND \(filter) AND period"
            #expect(try connection.integer("SELECT routes \(row) = 'all'") == 2)
            #expect(try connection.integer("SELECT round(distance_m)::bigint \(row) = 'all'") == 2_664)
            #expect(try connection.integer("SELECT (longest_route_id = 'r')::int::bigint \(row) = 'month'") == 1)
            #expect(try connection.integer("SELECT count(*) \(row) = 'all' AND fastest_5km_s IS NULL") == 1)
            #expect(try connection.integer("SELECT extract(isodow FROM starts_on)::bigint \(row) = 'week'") == 1)
            #expect(try connection.integer("SELECT (starts_on = '2025-10-09')::int::bigint \(row) = 'day'") == 1)
        }
        #expect(try connection.integer("SELECT count(*) FROM read.routes WHERE fastest_1km_s < 600") == 2)
    }
}
