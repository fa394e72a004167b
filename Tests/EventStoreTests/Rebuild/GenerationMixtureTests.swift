import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore

@Suite("Generations are never mixed") struct GenerationMixtureTests {
    @Test("A projector and a reader held open across the cut-over: one generation each, and nothing of both")
    func heldOpen() throws {
        let fixture = try RebuildFixture(users: 4, events: 300)
        let user = fixture.history.users[0]
        let partition = PostgresValue.int4(RandomHistory.partition.rawValue)
        // The projector has locked its checkpoint and seen generation 1, and has not written yet.
        let projector = try fixture.fixture.connection()
        try projector.execute("BEGIN")
        _ = try projector.query(Queries.lockCheckpoint, [partition, .int8(-1)])
        let seen = try projector.query(Queries.readProjectedUsers, [partition, .uuidArray([user.uuid]), .int4(1)])
        #expect(try seen.int4(row: 0, column: 0) == 1)
        // The rebuild runs between the reader's two queries for one user.
        var meanwhile: (() throws -> Void)? = { _ = try fixture.rebuilder().rebuild() }
        let reader = try fixture.fixture.connection()
        let read = try ShownUser.read(user, in: RandomHistory.partition, on: reader) {
            try meanwhile?()
            meanwhile = nil
        }
        #expect(read.generation == .first)
        #expect(read.rows.count == fixture.history.last(of: user).rowKeys.count)
        // The projector writes into the generation that it saw.
        try projector.execute("UPDATE read_1.badges SET value = '\\x08ff' WHERE user_id = '\(user)'")
        try projector.execute("COMMIT")
        try fixture.expectVerified()
        let shown = try ShownUser.read(user, in: RandomHistory.partition, on: reader)
        #expect(shown.generation == Generation(2) && shown.rows == read.rows)
    }

    @Test("A batch made for the generation before is not written, and no load takes rows of it")
    func late() throws {
        let fixture = try RebuildFixture(users: 4, events: 300)
        let user = fixture.history.users[0]
        let state = fixture.history.last(of: user)
        let batch = ProjectionBatch(
            partition: RandomHistory.partition, generation: 1, checkpoint: fixture.end,
            users: [
                ProjectedUser(user: user, version: state.version.next, rows: [], dueAt: nil)
            ])
        _ = try fixture.rebuilder().rebuild()
        #expect(try ProjectionWriter().write(batch, on: fixture.connection) == .otherGeneration)
        try fixture.owner.execute("UPDATE read_1.badges SET value = '\\x08ff'")
        let loaded = try UserLoader().load(
            [(RandomHistory.partition, user)], assuming: [RandomHistory.partition: 1], on: fixture.connection)
        let found = try #require(loaded[user]).get()
        #expect(found.head.generation == 2)
        #expect(found.state.rowKeys.allSatisfy { found.state.row($0) == state.row($0) })
    }

    @Test("An append learns in its own statement that another generation is shown")
    func append() throws {
        let fixture = try RebuildFixture(users: 2, events: 100)
        _ = try fixture.rebuilder().rebuild()
        let event = LoggedEvent.any(
            user: fixture.history.users[0],
            version: fixture.history.last(of: fixture.history.users[0]).version.next.rawValue,
            offset: fixture.end.rawValue, recordedAt: 1_800_000_000_000_000)
        let outcomes = try LogWriter().appendToEnd(
            [PartitionAppend(partition: Partition(0), expectedOffset: fixture.end, events: [event])],
            on: fixture.connection)
        #expect(outcomes == [Partition(0): .committed(generation: 2)])
    }
}
