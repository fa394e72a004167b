import EventStore
import FocusCore
import FocusWire
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// What devices are told of a rebuild by other rules, over recorded tracks.
@Suite("Rebuild and devices", .fewAtATime) struct RebuildSyncTests {
    private static let app = "com.example.run"
    /// Rules by which a point counts only up to an accuracy of 20 m instead of 50.
    private static let strict = FoldRules(version: FocusCore.foldVersion + 1_000, maximumHorizontalAccuracy: 20)
    private let user = UserID.random()
    private let tablet = DeviceID.random()

    /// A device and what it was told since the last checkpoint.
    private struct Listener {
        let client: WireClient
        var replica = Replica()
        var heard: [RowKey: [UInt8]?] = [:]

        /// Receives up to a checkpoint at or past a version.
        mutating func listen(until version: Version) async throws {
            heard = [:]
            while true {
                let message = try await client.next()
                replica.apply(message)
                switch message {
                case .delta(_, let rows, _), .deltaRows(let rows), .snapshotRows(let rows):
                    for row in rows { heard[row.key] = .some(row.value) }
                case .checkpoint(let cursor, _): if cursor.version >= version { return }
                default: break
                }
            }
        }
    }

    /// Four routes: accurate; blurred and finished; blurred and open; accurate and open.
    private func events() throws -> [Envelope] {
        let authorizations = AuthorizationKind.allCases.map {
            Envelope.of(.authorizationChanged(AuthorizationChanged(kind: $0, status: .authorized)), app: Self.app)
        }
        var events = Envelope.setUp(Self.app) + authorizations + [.post("n", app: Self.app)]
        let tracks = try RecordedRoutes.routes(of: 400)
        let names = [
            ("good", 1_000_000, true), ("blurred", 5, true), ("blurred-open", 3, false), ("open", 1_000_000, false),
        ]
        for (index, (name, every, isFinished)) in names.enumerated() {
            let points = tracks[index % tracks.count].blurred(every: every)
            let workout = WorkoutSaved(
                workoutID: "w-\(name)", activity: "hiking", start: points[0].time, end: points[points.count - 1].time)
            events += [
                EventBody.routeStarted(RouteStarted(routeID: name, activity: "hiking", utcOffsetSeconds: 7_200)),
                .routeLocationsInserted(RouteLocationsInserted(routeID: name, points: points)), .workoutSaved(workout),
            ].map { .of($0, app: Self.app) }
            guard isFinished else { continue }
            events.append(
                .of(.routeFinished(RouteFinished(routeID: name, workoutID: "w-\(name)")), app: Self.app))
        }
        return events
    }

    private func projected(_ server: TestServer, _ count: Int) async throws {
        try await onThread {
            let reader = try server.database()
            defer { reader.close() }
            try eventually("the read model has everything") {
                try reader.query(TestStatement.sumCheckpoints).int8(row: 0, column: 0) == Int64(count)
            }
        }
    }

    /// A phone that has appended `events()`, on a server that has projected them.
    private func filled(_ server: TestServer) async throws -> (phone: Listener, last: Version) {
        let events = try events()
        var phone = Listener(client: try await WireClient.open(server, user: user).client)
        try await phone.client.append(from: 1, events)
        // Version 1 is the event that begins the incarnation.
        let last = Version(Int64(events.count) + 1)
        try await phone.listen(until: last)
        try await projected(server, events.count)
        return (phone, last)
    }

    private func rebuild(_ server: TestServer) async throws -> RebuildReport {
        try await onThread { [conninfo = server.conninfo] in
            var options = RebuildOptions()
            options.maximumLoad = 100
            options.rules = Self.strict
            options.verifies = true
            return try Rebuilder(PostgresConfiguration(conninfo: conninfo), options: options).rebuild()
        }
    }

    @Test("S8: after a rebuild by another rule exactly the affected routes travel, also to a device that was away")
    func onlyDifferences() async throws {
        let server = try await TestServer.start()
        let events = try events()
        var phone = Listener(client: try await WireClient.open(server, user: user).client)
        try await phone.client.append(from: 1, events)
        let last = Version(Int64(events.count))
        try await phone.listen(until: last)
        var away = Listener(client: try await WireClient.open(server, user: user, device: tablet).client)
        try await away.listen(until: last)
        await away.client.close()
        try await projected(server, events.count)
        let before = phone.replica.rows

        let report = try await rebuild(server)
        #expect(report.usersChanged == 1 && report.eventsAppended == 1)
        let app = AppID(Self.app)
        let affected = Set(["blurred", "blurred-open"].map { RowKey(.routes, app: app, key: $0) })
        let totals = Set(before.keys.filter { $0.collection == .routeTotals })
        #expect(totals.count >= 8)
        // The phone was connected all the time.
        try await phone.listen(until: last.next)
        let told = Set(phone.heard.keys)
        #expect(told.filter { $0.collection == .routes } == affected)
        #expect(told.isSuperset(of: affected) && told.subtracting(affected).isSubset(of: totals))
        for key in told { #expect(phone.replica.rows[key] != before[key], "\(key)") }
        #expect(phone.replica.rows.filter { !told.contains($0.key) } == before.filter { !told.contains($0.key) })
        #expect(phone.replica.mismatches == [] && phone.replica.snapshots == 1)
        await phone.client.close()
        try await server.server.stop()

        // The tablet comes back to a server with the new rules.
        let next = try await TestServer.start(conninfo: server.conninfo, rules: Self.strict)
        let cursor = try #require(away.replica.cursor)
        away = Listener(
            client: try await WireClient.open(next, user: user, device: tablet, cursor: cursor).client,
            replica: away.replica)
        try await away.listen(until: last.next)
        #expect(Set(away.heard.keys) == told)
        #expect(away.replica.rows == phone.replica.rows)
        #expect(away.replica.mismatches == [] && away.replica.snapshots == 1)
        try await away.client.append(from: 1, [.post("after", app: Self.app)])
        try await away.listen(until: last.next.next)
        #expect(away.replica.mismatches == [])
        await away.client.close()
        try await next.server.stop()
    }

    @Test("S8: rows damaged in the read model: a running server drops what it held and sends just those")
    func repaired() async throws {
        try await TestServer.with { server in
            let (opened, last) = try await filled(server)
            var phone = opened
            let before = phone.replica.rows
            try await onThread { [user] in
                let owner = try server.database()
                defer { owner.close() }
                try owner.execute(
                    "UPDATE read_1.badges SET value = '\\x0863' WHERE user_id = '\(user)'")
            }
            let report = try await onThread {
                try Rebuilder(PostgresConfiguration(conninfo: server.conninfo)).rebuild()
            }
            #expect(report.usersChanged == 1 && report.rowsChanged == 1)
            try await phone.listen(until: last.next)
            let badge = RowKey(.badges, app: AppID(Self.app))
            #expect(Array(phone.heard.keys) == [badge])
            #expect(phone.replica.rows == before && phone.replica.mismatches == [])
            // New events are folded from the shown generation, and written to it.
            try await phone.client.append(from: last.rawValue, [.post("m", app: Self.app)])
            try await phone.listen(until: last.next.next)
            #expect(phone.replica.mismatches == [])
            try await onThread { [user] in
                let owner = try server.database()
                defer { owner.close() }
                let partition = server.log.partition(of: user)
                try eventually("the server writes the generation that is shown") {
                    let found = try UserVerifier().verify(user, in: partition, on: owner)
                    return found.version == last.next.next && found.generation == 2
                        && { if case .equal = found.verdict { true } else { false } }()
                }
            }
            await phone.client.close()
        }
    }

    @Test("A cut-over loads nobody anew whose rows are the same: appends do not wait for it")
    func kept() async throws {
        let server = try await TestServer.start(partitions: 1)
        let (opened, last) = try await filled(server)
        var phone = opened
        let report = try await onThread { [user, conninfo = server.conninfo] in
            // Runs after the cut-over's commit and before its notification: a user who is loaded from now on has a
            // wrong badge.
            try Rebuilder(PostgresConfiguration(conninfo: conninfo)) { progress in
                guard progress.stage == .cuttingOver, let owner = try? server.database() else { return }
                defer { owner.close() }
                try? owner.execute("UPDATE read_2.badges SET value = '\\x0863' WHERE user_id = '\(user)'")
            }.rebuild()
        }
        #expect(report.usersChanged == 0 && report.locked.count == 1)
        try await onThread {
            let owner = try server.database()
            defer { owner.close() }
            #expect(try owner.query(TestStatement.countWrongBadges).int8(row: 0, column: 0) > 0)
        }
        // Written to the shown generation from the state that was in memory.
        try await phone.client.append(from: last.rawValue, [.post("m", app: Self.app)])
        try await phone.listen(until: last.next)
        #expect(phone.replica.mismatches == [] && phone.replica.snapshots == 1)
        try await onThread { [user] in
            let owner = try server.database()
            defer { owner.close() }
            try eventually("the server writes the generation that is shown") {
                let found = try UserVerifier().verify(user, in: server.log.partition(of: user), on: owner)
                return found.generation == 2 && found.version == last.next
            }
        }
        await phone.client.close()
        try await server.server.stop()
    }

    @Test("The background verifier finds what differs, and counts it")
    func background() async throws {
        let server = try await TestServer.start(partitions: 1) { $0.verifyInterval = .milliseconds(5) }
        let (phone, _) = try await WireClient.open(server, user: user)
        try await phone.append(from: 1, Envelope.setUp("a") + [.post("n", app: "a")])
        while try await phone.appended().throughSequence < DeviceSequence(3) {}
        try await projected(server, 3)
        try await onThread { [user] in
            try eventually("somebody was verified") { server.server.verification.verified > 0 }
            #expect(server.server.verification.differing == 0)
            let owner = try server.database()
            defer { owner.close() }
            try owner.execute("UPDATE read_1.badges SET value = '\\x0863' WHERE user_id = '\(user)'")
            try eventually("the difference was found") { server.server.verification.differing > 0 }
        }
        await phone.close()
        try await server.server.stop()
    }
}
