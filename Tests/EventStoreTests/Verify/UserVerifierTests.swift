import FocusCore
import Foundation
import PostgresClient
import SeededNumbers
import Testing

@testable import EventStore

@Suite("UserVerifier") struct UserVerifierTests {
    private let fixture: StoreFixture
    private let connection: PostgresConnection
    private let owner: PostgresConnection
    private let app = AppID("com.example.mail")!

    init() throws {
        fixture = try StoreFixture()
        (connection, owner) = (try fixture.connection(), try fixture.owner())
    }

    private func verify(_ user: UserID) throws -> UserVerification {
        // Small chunks, so that boundaries fall within and at the end of histories.
        try UserVerifier(chunk: 6).verify(user, in: RandomHistory.partition, on: connection)
    }

    /// A short history; its last events are two notifications, one read, a route discarded and one finished.
    private func life() throws -> (history: RandomHistory, first: Int64) {
        let start = Timestamp(microseconds: 1_760_000_000_000_000)
        let points = (0..<20).map {
            RoutePoint(
                time: start.adding(microseconds: Int64($0) * 1_000_000), latitude: 47 + Double($0) * 1e-4, longitude: 8,
                altitude: 400, horizontalAccuracy: 5)
        }
        var bodies: [EventBody] = [
            .notificationPosted(NotificationPosted(notificationID: "n1", title: "T", body: "B")),
            .notificationPosted(NotificationPosted(notificationID: "n2", title: "T", body: "B")),
            .notificationRead(NotificationIDs(ids: ["n1"])),
        ]
        for id in ["gone", "run"] {
            bodies.append(.routeStarted(RouteStarted(routeID: id, activity: "running", utcOffsetSeconds: 0)))
            bodies.append(.routeLocationsInserted(RouteLocationsInserted(routeID: id, points: points)))
        }
        bodies.append(.routeDiscarded(RouteDiscarded(routeID: "gone")))
        bodies.append(
            .workoutSaved(
                WorkoutSaved(workoutID: "w", activity: "running", start: start, end: start.adding(microseconds: 9))))
        bodies.append(.routeFinished(RouteFinished(routeID: "run", workoutID: "w")))
        let history = try RandomHistory(bodies.map { (app, $0) })
        try history.log(on: connection)
        try history.project(history.users, upTo: LogOffset(Int64(history.events.count)), on: connection)
        return (history, Int64(history.events.count - bodies.count))
    }

    /// The differences that the verifier finds after a test has changed rows behind the projector's back.
    private func differences(_ history: RandomHistory, count: Int = 1) throws -> [RowDifference] {
        guard case .different(let found) = try verify(history.users[0]).verdict, found.rows.count >= count else {
            throw EventStoreError.corrupt("differences were not found")
        }
        #expect(found.version == nil && found.unknownRows.isEmpty && found.rowCount == found.rows.count)
        return found.rows
    }

    @Test("Equal after a random history, however it was projected and however far that lags", arguments: [1, 2, 3, 4])
    func equal(seed: UInt64) throws {
        let history = try RandomHistory(seed: seed, users: 3, events: 600)
        var random = SplitMix64(seed: seed &+ 7)
        var logged = 0
        while logged < history.events.count {
            logged = try history.log(next: Int.random(in: 1...80, using: &random), after: logged, on: connection)
            try history.project(history.users.filter { _ in Bool.random(using: &random) }, on: connection)
            for user in history.users {
                guard case .equal = try verify(user).verdict else {
                    Issue.record("seed \(seed), \(logged) events: \(try verify(user))")
                    return
                }
            }
        }
        try history.project(history.users, upTo: LogOffset(Int64(logged)), on: connection)
        for user in history.users {
            let found = try verify(user)
            #expect(found.version == history.last(of: user).version)
            #expect(found.verdict == .equal(rows: history.last(of: user).rowKeys.count))
        }
    }

    @Test("A changed value is named, with the event that made the right one and the one since which it is wrong")
    func changedValue() throws {
        let (history, first) = try life()
        let key = RowKey(.badges, app: app)
        // The badge before the event that read n1.
        let old = history.state(of: history.users[0], at: Version(first + 2)).row(key)!.value
        let set = Statement(name: "set", sql: "UPDATE read_1.badges SET value = $1 WHERE app = $2")
        _ = try owner.query(set, [.bytea(old), .text(app.rawValue)])
        let found = try differences(history)
        #expect(found.map(\.key) == [key] && found[0].parts == [.value] && found[0].kind == .changed)
        #expect(found[0].expected == history.last(of: history.users[0]).row(key))
        #expect(found[0].shown?.value == old)
        #expect(found[0].since == Version(first + 3) && found[0].partedAt == Version(first + 3))
        _ = try owner.query(set, [.bytea([255]), .text(app.rawValue)])
        let other = try differences(history)
        #expect(other[0].since == Version(first + 3) && other[0].partedAt == nil)
    }

    @Test("A missing row is named, with the event that made it")
    func missingRow() throws {
        let (history, first) = try life()
        try owner.execute("DELETE FROM read_1.notifications WHERE key = 'n2'")
        let found = try differences(history)
        #expect(found.map(\.key) == [RowKey(.notifications, app: app, key: "n2")])
        #expect(found[0].kind == .missing && found[0].shown == nil)
        #expect(found[0].since == Version(first + 2) && found[0].partedAt == Version(first + 2))
    }

    @Test("An extra row is named, with the event that took it away, if one did")
    func extraRow() throws {
        let (history, first) = try life()
        // Points of a route that was discarded.
        try owner.execute(
            """
            INSERT INTO read_1.route_points
            SELECT partition, user_id, app, 'gone/0', version, deleted, value, memo, key_bytes, 'gone'
            FROM read_1.route_points;
            INSERT INTO read_1.badges (partition, user_id, app, key, version, deleted, value, memo)
            SELECT partition, user_id, app, 'never', version, deleted, value, memo FROM read_1.badges
            WHERE app = '\(app)'
            """)
        let found = try differences(history, count: 2)
        #expect(
            found.map(\.key) == [
                RowKey(.badges, app: app, key: "never"), RowKey(.routePoints, app: app, key: "gone/0"),
            ])
        #expect(found.allSatisfy { $0.kind == .extra && $0.expected == nil })
        #expect(found[0].since == nil && found[0].partedAt == nil)
        #expect(found[1].since == Version(first + 8) && found[1].partedAt == Version(first + 8))
    }

    @Test("A changed memo is named as such, also of a finished route's points, which no load reads")
    func changedMemo() throws {
        let (history, first) = try life()
        try owner.execute("UPDATE read_1.route_points SET memo = memo || '\\x00'")
        let found = try differences(history)
        #expect(found.map(\.key) == [RowKey(.routePoints, app: app, key: "run/0")])
        #expect(found[0].parts == [.memo] && found[0].since == Version(first + 7))
        #expect(found[0].shown?.memo == found[0].expected.map { $0.memo + [0] })
    }

    @Test("Some of many differing rows are kept, and all are counted")
    func bounded() throws {
        let (history, _) = try life()
        try owner.execute("UPDATE read_1.authorizations SET memo = ''")
        let count = try owner.integer("SELECT count(*) FROM read_1.authorizations")
        let found = try UserVerifier(keptRows: 3).verify(
            history.users[0], in: RandomHistory.partition, on: connection)
        guard case .different(let difference) = found.verdict else {
            Issue.record("nothing found")
            return
        }
        #expect(count > 3 && difference.rowCount == Int(count) && difference.rows.count == 3)
        #expect(difference.rows.allSatisfy { $0.since != nil && $0.parts == [.memo] })
    }

    @Test("A row's wrong version is named, and a tombstone that is none")
    func wrongRowVersion() throws {
        let (history, first) = try life()
        try owner.execute("UPDATE read_1.badges SET version = version - 1 WHERE app = '\(app)'")
        try owner.execute("UPDATE read_1.routes SET deleted = false WHERE key = 'gone'")
        let found = try differences(history, count: 2)
        #expect(found.map(\.key) == [RowKey(.badges, app: app), RowKey(.routes, app: app, key: "gone")])
        #expect(found[0].parts == [.version] && found[0].since == Version(first + 3))
        #expect(found[1].parts == [.deleted] && found[1].since == Version(first + 8))
    }

    @Test("A user's wrong version is named: events that the checkpoint claims, or that the log does not have")
    func wrongUserVersion() throws {
        let (history, _) = try life()
        let (user, last) = (history.users[0], history.last(of: history.users[0]).version)
        func versionDifference() throws -> VersionDifference? {
            guard case .different(let found) = try verify(user).verdict else { return nil }
            return found.version
        }
        try owner.execute("UPDATE read_1.users SET version = version - 2")
        #expect(try versionDifference() == .lacks(Version(last.rawValue - 1)))
        try owner.execute("UPDATE read_1.users SET version = version + 5")
        #expect(try versionDifference() == .exceedsLog(last: last))
        try owner.execute("DELETE FROM read_1.users")
        #expect(try versionDifference() == .lacks(Version(1)))
    }

    @Test("Digest sums that are not those of the rows are found, unless they are of another version")
    func wrongDigests() throws {
        let (history, _) = try life()
        let user = history.users[0]
        #expect(try connection.integer("SELECT count(*) FROM read_1.users WHERE digests_version = version") == 1)
        try owner.execute("UPDATE read_1.users SET digests = '\\x0801'")
        guard case .different(let found) = try verify(user).verdict else {
            Issue.record("nothing found")
            return
        }
        #expect(found.digestsDiffer && found.rowCount == 0 && found.version == nil)
        for version in ["version - 1", "NULL"] {
            try owner.execute("UPDATE read_1.users SET digests_version = \(version)")
            guard case .equal = try verify(user).verdict else {
                Issue.record("digests of version \(version)")
                return
            }
        }
    }

    @Test("A row whose app is none is found")
    func strangeRow() throws {
        let (history, _) = try life()
        try owner.execute("UPDATE read_1.badges SET app = 'no app!' WHERE app = '\(app)'")
        guard case .different(let found) = try verify(history.users[0]).verdict else {
            Issue.record("nothing found")
            return
        }
        #expect(found.unknownRows == [UnknownRow(collection: .badges, app: "no app!", key: "")])
        #expect(found.rows.map(\.kind) == [.missing])
    }

    @Test("A projector and an appender at any moment raise no false alarm")
    func concurrent() throws {
        let history = try RandomHistory(seed: 21, users: 2, events: 500)
        let (other, user) = (try fixture.connection(), history.users[0])
        var logged = 0
        func goOn() throws {
            logged = try history.log(next: 30, after: logged, on: other)
            try history.project(history.users, upTo: LogOffset(Int64(logged)), on: other)
        }
        try goOn()
        while logged < history.events.count {
            // The log grows and the projector writes between reading the version, reading the rows, and folding.
            let shown = try ShownUser.read(user, in: RandomHistory.partition, on: connection, meanwhile: goOn)
            try goOn()
            let found = try UserVerifier().verify(shown, on: connection)
            guard case .equal(let rows) = found.verdict, rows > 0 else {
                Issue.record("\(logged) events: \(found)")
                return
            }
        }
    }

    @Test("Events that do not fold, and a generation of another fold, are no difference but are said")
    func uncomparable() throws {
        let (history, first) = try life()
        try owner.execute("UPDATE generations SET fold_version = 77")
        #expect(try verify(history.users[0]).verdict == .otherFold(77))
        try owner.execute(
            """
            UPDATE generations SET fold_version = \(FocusCore.foldVersion);
            ALTER TABLE events DISABLE TRIGGER ALL;
            DELETE FROM events WHERE version = \(first + 2)
            """)
        guard case .unfoldable(let version, _) = try verify(history.users[0]).verdict else {
            Issue.record("folded over a gap")
            return
        }
        #expect(version == Version(first + 1))
    }
}
