import FocusCore
import FocusWire
import Foundation
import PostgresClient
import Testing

@testable import EventStore

/// What one statement loads is bounded in bytes.
@Suite struct LoadBoundTests {
    private let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func users(_ count: Int) -> [UserID] { (0..<count).map { _ in UserID(UUID()) } }

    /// The read model says of each user how large they are; nil: nothing.
    private func show(_ users: [UserID], bytes: [Int?], on connection: PostgresConnection) throws {
        let projected = zip(users, bytes).map { user, bytes in
            ProjectedUser(user: user, version: Version(1), rows: [], dueAt: nil, stateBytes: bytes)
        }
        let (statement, parameters) = ProjectionWriter.users(RandomHistory.partition, projected)
        _ = try connection.query(Generation.first.statement(statement), parameters)
    }

    /// How many users come at once.
    private func loaded(_ users: [UserID], bytes: Int, on connection: PostgresConnection) throws -> Int {
        let found = try UserLoader(bytes: bytes).loadSome(users.map { (RandomHistory.partition, $0) }, on: connection)
        #expect(Set(found.keys) == Set(users.prefix(found.count)), "those who were asked for first")
        return found.count
    }

    @Test("The users of one statement take no more than the bound, which the last of them may pass")
    func users() throws {
        let connection = try fixture.connection()
        let some = users(4)
        try show(some, bytes: [1_000, 1_000, 1_000, 1_000], on: connection)
        #expect(try loaded(some, bytes: 1, on: connection) == 1)
        #expect(try loaded(some, bytes: 1_000, on: connection) == 1)
        #expect(try loaded(some, bytes: 1_001, on: connection) == 2)
        #expect(try loaded(some, bytes: 4_000, on: connection) == 4)
        let all = try UserLoader(bytes: 1).load(some.map { (RandomHistory.partition, $0) }, on: connection)
        #expect(all.count == 4, "who asks for all gets all, in several statements")
    }

    @Test("A user of whom it is not known how large they are counts as one of some size")
    func unknown() throws {
        let connection = try fixture.connection()
        let some = users(3)
        try show(Array(some[..<2]), bytes: [nil, 1], on: connection)
        let size = Int(UserLoader.unknownBytes)
        #expect(try loaded(some, bytes: size, on: connection) == 1)
        #expect(try loaded(some, bytes: size + 1, on: connection) == 2)
        #expect(try loaded(some, bytes: size + 2, on: connection) == 3)
    }

    @Test("What the projector writes of a user's size is what they take in memory")
    func written() throws {
        let history = try RandomHistory(seed: 3, users: 1, events: 60)
        let connection = try fixture.connection()
        try history.log(on: connection)
        let place = (RandomHistory.partition, history.users[0])
        let user = try #require(try UserLoader().load([place], on: connection)[history.users[0]]).get()
        let projected = try #require(user.projected)
        let batch = ProjectionBatch(
            partition: RandomHistory.partition, generation: 1, checkpoint: LogOffset(60), users: [projected])
        #expect(try ProjectionWriter().write(batch, on: connection).missing == [])
        let bytes = try connection.integer("SELECT state_bytes FROM read.users")
        #expect(bytes == Int64(user.state.approximateBytes) && bytes > 1_024)
    }

    @Test("Large events past the rows come in several statements, and all of them come")
    func tail() throws {
        let name = String(repeating: "n", count: 1_000)
        let app = try #require(AppID("com.example.mail"))
        let bodies = (0..<30).map { (app, EventBody.focusConfigured(FocusConfigured(focusID: "f\($0)", name: name))) }
        let history = try RandomHistory(bodies)
        let connection = try fixture.connection()
        try history.log(on: connection)
        let place = (RandomHistory.partition, history.users[0])
        let first = history.events.firstIndex { $0.payload.count > 1_000 } ?? 0
        for bytes in [1, 5_000, 1 << 20] {
            let loader = UserLoader(bytes: bytes)
            let stored = try #require(try loader.read([place], .first, on: connection)[history.users[0]])
            let taken = stored.events.dropLast().reduce(0) { $0 + $1.payload.count }
            #expect(taken < bytes && stored.mayHaveMore == (bytes < 1 << 20))
            #expect(bytes == 1 || stored.events.count > first)
            let loaded = try loader.folded(stored, on: connection)
            #expect(loaded.state.version == history.last(of: history.users[0]).version)
        }
    }
}
