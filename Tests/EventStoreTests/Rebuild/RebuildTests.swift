import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore

@Suite("Rebuild") struct RebuildTests {
    @Test("A rebuild by the same fold makes the same rows, bit for bit, and tells nobody anything")
    func same() throws {
        let fixture = try RebuildFixture()
        let report = try fixture.rebuilder { $0.verifies = true }.rebuild()
        #expect(report.generation == 2 && report.previous == [1])
        #expect(report.events == Int64(fixture.history.events.count))
        #expect(report.usersChanged == 0 && report.eventsAppended == 0)
        #expect(report.locked.count == 4 && report.longestWait > .zero)
        #expect(try fixture.differences(1, 2) == [:])
        #expect(try fixture.owner.integer("SELECT count(*) FROM log_partitions WHERE generation = 2") == 4)
        try fixture.expectVerified()
    }

    @Test("A rebuild of a read model that lags behind, or holds nothing, tells nobody anything either")
    func lagging() throws {
        let fixture = try RebuildFixture(projected: false)
        let report = try fixture.rebuilder().rebuild()
        #expect(report.usersChanged == 0)
        try fixture.expectVerified()
    }

    @Test("S8: a row that was wrong is named by projection.rebuilt, and only its version changes besides")
    func damaged() throws {
        let fixture = try RebuildFixture()
        let user = fixture.history.users[0]
        let last = fixture.history.last(of: user)
        let before = try ShownUser.read(user, in: RandomHistory.partition, on: fixture.connection)
        try fixture.owner.execute(
            """
            UPDATE read_1.authorizations SET value = '\\x0801'
            WHERE user_id = '\(user)' AND app = 'com.example.run' AND key = 'location'
            """)
        let report = try fixture.rebuilder().rebuild()
        #expect(report.usersChanged == 1 && report.rowsChanged == 1 && report.eventsAppended == 1)
        let key = RowKey(.authorizations, app: AppID("com.example.run"), key: "location")
        let told = try #require(try fixture.rebuilt().first)
        #expect(told.user == user && told.version == last.version.next)
        #expect(told.body == ProjectionRebuilt(generation: 2, rows: [key]))
        let after = try ShownUser.read(user, in: RandomHistory.partition, on: fixture.connection)
        #expect(after.version == told.version && after.generation == Generation(2))
        let expected = try #require(before.rows[key])
        let row = try #require(after.rows[key])
        #expect(row.version == told.version && row.value == expected.value && row.isDeleted == expected.isDeleted)
        let changed = Set(after.rows.keys).union(before.rows.keys).filter { after.rows[$0] != before.rows[$0] }
        #expect(changed.subtracting([key]).allSatisfy { [.stream, .appStreams, .devices].contains($0.collection) })
        try fixture.expectVerified()
        // A difference is told once: another rebuild finds none.
        #expect(try fixture.rebuilder().rebuild().usersChanged == 0)
        #expect(try fixture.differences(2, 3) == [:])
    }

    @Test("S8: a row that no event made is told to be gone")
    func vanished() throws {
        let fixture = try RebuildFixture()
        let user = fixture.history.users[1]
        try fixture.owner.execute(
            """
            INSERT INTO read_1.workouts (partition, user_id, app, key, version, deleted, value, memo)
            SELECT partition, user_id, app, 'stranger', 1, false, value, memo FROM read_1.workouts
            WHERE user_id = '\(user)' AND NOT deleted LIMIT 1
            """)
        let report = try fixture.rebuilder().rebuild()
        #expect(report.rowsChanged == 1)
        let told = try #require(try fixture.rebuilt().first)
        #expect(told.user == user && told.body.rows.map(\.key) == ["stranger"])
        let after = try ShownUser.read(user, in: RandomHistory.partition, on: fixture.connection)
        #expect(after.rows[told.body.rows[0]]?.isDeleted == true)
        #expect(after.rows[told.body.rows[0]]?.version == told.version)
        try fixture.expectVerified()
    }

    @Test("Rolled back, the kept generation is brought to the end of the log and shown; and forth again")
    func rollBack() throws {
        let fixture = try RebuildFixture()
        _ = try fixture.rebuilder().rebuild()
        var history = fixture.history
        for _ in 0..<40 { try history.append(history.users[2], nil, nil) }
        _ = try LogWriter().appendToEnd(
            [
                PartitionAppend(
                    partition: RandomHistory.partition, expectedOffset: fixture.end,
                    events: Array(history.events.dropFirst(fixture.history.events.count)))
            ], on: fixture.connection)
        let report = try fixture.rebuilder().rollBack()
        #expect(report.generation == 1 && report.usersChanged == 0)
        #expect(try fixture.owner.integer("SELECT count(*) FROM log_partitions WHERE generation = 1") == 4)
        try fixture.expectVerified()
        #expect(try fixture.rebuilder().rollBack().generation == 2)
        #expect(try fixture.differences(1, 2) == [:])
    }

    @Test("Dropped, a generation is gone; its number is not used again, and users load all the same")
    func drop() throws {
        let fixture = try RebuildFixture()
        _ = try fixture.rebuilder().rebuild()
        #expect(try fixture.rebuilder().dropOld() == [1])
        #expect(throws: RebuildError.nothingToRollBackTo) { try fixture.rebuilder().rollBack() }
        try fixture.expectVerified()
        #expect(try fixture.owner.integer("SELECT count(*) FROM read_1.users") == 0)
        #expect(try fixture.rebuilder().rebuild().generation == 3)
        #expect(try fixture.rebuilder().dropOld() == [2])
        #expect(try fixture.rebuilder().rebuild().generation == 4)
        #expect(throws: PostgresError.self) { try fixture.owner.execute("SELECT drop_generation(4)") }
        let loaded = try UserLoader().load(
            [(RandomHistory.partition, fixture.history.users[0])], assuming: [RandomHistory.partition: 2],
            on: fixture.connection)
        #expect(try loaded[fixture.history.users[0]]?.get().head.generation == 4)
        #expect(try fixture.rebuilder().dropOld() == [3])
        // Migrating at the next start does not bring a dropped generation back.
        try Migrator.migrate(on: fixture.owner)
        #expect(try fixture.rebuilder().dropOld() == [])
    }

    @Test("Views show each row once, whichever generation its partition shows")
    func views() throws {
        let fixture = try RebuildFixture()
        let count = { try fixture.owner.integer("SELECT count(*) FROM read.notifications") }
        let expected = try count()
        #expect(expected > 0)
        // A transaction that began before the cut-over keeps seeing the old generation.
        let reader = fixture.connection
        try reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        #expect(try reader.integer("SELECT max(generation) FROM log_partitions") == 1)
        _ = try fixture.rebuilder().rebuild()
        try fixture.owner.execute("DELETE FROM read_1.notifications")
        #expect(try reader.integer("SELECT count(*) FROM read_1.notifications WHERE NOT deleted") == expected)
        try reader.execute("COMMIT")
        #expect(try count() == expected)
        _ = try fixture.rebuilder().dropOld()
        #expect(try count() == expected)
    }
}
