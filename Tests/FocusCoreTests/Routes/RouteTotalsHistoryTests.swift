import SeededNumbers
import Testing

@testable import FocusCore

/// Random lives of three recording devices. A failure names its seed, which is the argument to run again.
@Suite("UserState: route totals in any order") struct RouteTotalsHistoryTests {
    /// The events that one device appends, in its order: routes one after the other or interleaved, some never
    /// finished.
    private func life(_ device: DeviceID, _ number: Int, using random: inout SplitMix64) -> [EventBody] {
        let activities = ["run", "walk", "a/b", "é", "e\u{301}"]
        var bodies: [EventBody] = []
        for route in 0..<Int.random(in: 1...6, using: &random) {
            let id = "\(number)-\(route % 4 == 3 ? 1 : route)"
            let offset = [Int32(0), 3_600, -43_200, 50_400].randomElement(using: &random)!
            let activity = activities.randomElement(using: &random)!
            bodies.append(.routeStarted(RouteStarted(routeID: id, activity: activity, utcOffsetSeconds: offset)))
            let day = Double(Int.random(in: -45...45, using: &random)) * 43_200
            var (second, north) = (day, 0.0)
            let points = (0..<Int.random(in: 1...150, using: &random)).map { _ in
                second += Double.random(in: 0.2...20, using: &random)
                north += Double.random(in: 0...60, using: &random)
                return RouteFixtures.point(
                    at: second, north: north, altitude: Double.random(in: 0...40, using: &random))
            }
            for batch in RouteFixtures.batches(points + points.prefix(9), using: &random) {
                bodies.append(.routeLocationsInserted(RouteLocationsInserted(routeID: id, points: batch)))
            }
            let workout = WorkoutSaved(workoutID: "w\(number)", activity: activity, start: .at(0), end: .at(1))
            bodies.append(.workoutSaved(workout))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: break
            case 1: bodies.append(.routeDiscarded(RouteDiscarded(routeID: id)))
            default: bodies.append(.routeFinished(RouteFinished(routeID: id, workoutID: "w\(number)")))
            }
        }
        return bodies
    }

    /// Plays the lives of the devices in a random order of arrival. Only the second start of a route is refused.
    private func arrive(_ lives: [[(EventBody, AppID)]], using random: inout SplitMix64) -> Stage {
        var stage = HistoryMaker.ready()
        var queues = lives.map { $0[...] }
        while let queue = queues.indices.filter({ !queues[$0].isEmpty }).randomElement(using: &random) {
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                guard let (body, app) = queues[queue].popFirst() else { break }
                stage.send(body, app: app, from: HistoryMaker.devices[queue], at: 1)
            }
        }
        return stage
    }

    private func lives(using random: inout SplitMix64) -> [[(EventBody, AppID)]] {
        HistoryMaker.devices.enumerated().map { number, device in
            let app = HistoryMaker.apps[number % 2]
            return life(device, number, using: &random).map { ($0, app) }
        }
    }

    private func convergent(_ stage: Stage) -> [RowKey: [UInt8]] {
        stage.rows.filter { [.routeTotals, .routes].contains($0.key.collection) && !$0.value.isDeleted }
            .mapValues(\.value)
    }

    @Test("R7, E6: any order of arrival gives the same routes, totals and digests", arguments: 1...8)
    func convergence(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let lives = lives(using: &random)
        var first = arrive(lives, using: &random)
        let view = View(
            scope: .system, device: .phone, deviceClass: .phone, collections: [.routeTotals, .routes])
        for _ in 0..<3 {
            var other = arrive(lives, using: &random)
            #expect(convergent(other) == convergent(first), "seed \(seed)")
            #expect(other.state.digests(in: view) == first.state.digests(in: view), "seed \(seed)")
        }
    }

    @Test("R7: totals are a plain recount of the finished routes, after every event", arguments: 1...8)
    func recount(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed + 100)
        let lives = lives(using: &random)
        let stage = arrive(lives, using: &random)
        var state = UserState(user: .ada)
        for event in stage.events {
            _ = try state.apply(event)
            guard case .routeFinished = event.body else { continue }
            try compare(state, "seed \(seed), version \(event.version)")
        }
        try compare(state, "seed \(seed)")
    }

    private func compare(_ state: UserState, _ place: Comment) throws {
        var rows: [RowKey: RouteTotalRow] = [:]
        var finished: [(AppID, RouteRow)] = []
        for (key, row) in state.allRows where !row.isDeleted {
            if key.collection == .routeTotals { rows[key] = try RouteTotalRow(decoding: row.value) }
            guard key.collection == .routes, let app = key.app else { continue }
            let route = try RouteRow(decoding: row.value)
            if route.state == .finished { finished.append((app, route)) }
        }
        let keys = finished.flatMap { app, route in
            periods(of: route).flatMap { [RowKey(.routeTotals, app: app, key: $0), RowKey(.routeTotals, key: $0)] }
        }
        #expect(Set(keys) == Set(rows.keys), place)
        for (key, row) in rows {
            let routes = finished.filter {
                (key.app == nil || $0.0 == key.app) && periods(of: $0.1).contains { ByteText.equal($0, key.key) }
            }
            #expect(row.routes == Int64(routes.count), place)
            let sums = routes.map(\.1.aggregates)
            #expect(row.distanceMillimetres == sums.reduce(0) { $0 + Int64(($1.distance * 1e3).rounded()) }, place)
            #expect(row.movingMicroseconds == sums.reduce(0) { $0 + $1.movingMicroseconds }, place)
            let gain = sums.reduce(0) { $0 + Int64(($1.elevationGain * 1e3).rounded()) }
            #expect(row.elevationGainMillimetres == gain, place)
            let longest = sums.map(\.distance).max() ?? 0
            #expect(row.longest?.distanceMillimetres == Int64((longest * 1e3).rounded()), place)
            for length in RouteStretch.lengths {
                let fastest = routes.flatMap(\.1.fastest).filter { $0.metres == length }
                let found = row.fastest.first { $0.distanceMillimetres == length * 1_000 }
                #expect(found?.durationMicroseconds == fastest.map(\.durationMicroseconds).min(), place)
            }
        }
    }

    /// The periods of a route, computed from its calendar day independently of the fold.
    private func periods(of route: RouteRow) -> [String] {
        let seconds = route.aggregates.start!.microseconds / 1_000_000 + Int64(route.utcOffsetSeconds)
        let day = CivilDate(daysSince1970: seconds / 86_400)
        return [
            "all/\(route.activity)", "day/\(day)/\(route.activity)", "month/\(day.monthText)/\(route.activity)",
            "week/\(day.weekText)/\(route.activity)",
        ]
    }

    @Test("R7: a state reloaded from its rows goes on with the same totals", arguments: 1...8)
    func reload(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed + 200)
        let lives = lives(using: &random)
        let stage = arrive(lives, using: &random)
        var whole = UserState(user: .ada)
        var reloaded = whole
        for event in stage.events {
            let touched = Set(try whole.apply(event))
            #expect(Set(try reloaded.apply(event)) == touched, "seed \(seed), version \(event.version)")
            if Int.random(in: 0..<6, using: &random) == 0 {
                // As a server loads it: the points of finished routes stay in their table.
                let rows = reloaded.allRows.filter { key, _ in
                    guard key.collection == .routePoints, let chunk = RouteChunkKey(key.key) else { return true }
                    let row = reloaded.row(RowKey(.routes, app: key.app, key: chunk.routeID))
                    return (try? RouteRow(decoding: row!.value))?.state == .open
                }
                reloaded = try UserState(user: .ada, version: reloaded.version, rows: rows)
            }
        }
        #expect(
            whole.allRows.filter { $0.key.collection != .routePoints }
                == reloaded.allRows.filter { $0.key.collection != .routePoints }, "seed \(seed)")
    }
}
