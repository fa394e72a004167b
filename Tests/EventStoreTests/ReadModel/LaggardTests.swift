import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore

/// Users whom the checkpoint passes although their rows lack events.
@Suite struct LaggardTests {
    private let partition = RandomHistory.partition
    private let fixture: StoreFixture
    private let connection: PostgresConnection
    private let history: RandomHistory

    init() throws {
        fixture = try StoreFixture()
        connection = try fixture.connection()
        history = try RandomHistory(seed: 3, users: 3, events: 90)
        try history.log(on: connection)
    }

    /// Where the user's event of this version stands.
    private func offset(_ user: UserID, _ version: Int64) throws -> LogOffset {
        try #require(history.events.first { $0.user == user && $0.version == Version(version) }).offset
    }

    /// Writes a user as if their rows had everything up to a version; the checkpoint passes the laggards.
    private func write(
        _ user: UserID? = nil, _ version: Int64 = 0, passing passed: PassedUsers = .nobody, from base: Int64 = 0, upTo checkpoint: Int64
    ) throws {
        let users = user.map { [ProjectedUser(user: $0, version: Version(version), rows: [], dueAt: nil)] } ?? []
        let batch = ProjectionBatch(
            partition: partition, generation: 1, base: LogOffset(base), checkpoint: LogOffset(checkpoint), passed: passed,
            users: users)
        #expect(try ProjectionWriter().write(batch, on: connection).missing == [])
    }

    private func checkpoint() throws -> Checkpoint {
        try #require(try ProjectionWriter().checkpoints(of: [partition], on: connection)[partition])
    }

    @Test("Who is passed is recorded with the first event that their rows lack; who lacks nothing is not")
    func records() throws {
        let (anna, ben, carol) = (history.users[0], history.users[1], history.users[2])
        try write(ben, 4, upTo: 0)
        try write(carol, history.last(of: carol).version.rawValue, upTo: 0)
        try write(passing: .named([anna, ben, carol, .random()]), upTo: 90)
        #expect(
            try checkpoint()
                == Checkpoint(offset: LogOffset(90), laggards: [anna: offset(anna, 1), ben: offset(ben, 5)]))
    }

    @Test("Who lacks only events past the checkpoint is no laggard, and becomes one when it passes them")
    func recordsLater() throws {
        let anna = history.users[0]
        try write(anna, 4, upTo: 0)
        try write(passing: .named([anna]), upTo: try offset(anna, 5).rawValue)
        #expect(try checkpoint().laggards.isEmpty)
        try write(passing: .named([anna]), upTo: try offset(anna, 5).rawValue + 1)
        #expect(try checkpoint().laggards == [anna: offset(anna, 5)])
    }

    @Test("Where anybody may be passed, whoever lacks an event of the range is recorded, and laggards stay as they are")
    func recordsRange() throws {
        let (anna, ben, carol) = (history.users[0], history.users[1], history.users[2])
        try write(ben, 4, upTo: 0)
        try write(carol, history.last(of: carol).version.rawValue, upTo: 0)
        let middle = try offset(ben, 5).rawValue + 1
        try write(passing: .anybody, upTo: middle)
        let laggards = [anna: try offset(anna, 1), ben: try offset(ben, 5)]
        #expect(try checkpoint() == Checkpoint(offset: LogOffset(middle), laggards: laggards))
        try write(passing: .anybody, from: middle, upTo: 90)
        #expect(try checkpoint() == Checkpoint(offset: LogOffset(90), laggards: laggards))
    }

    @Test("A laggard is settled when their rows have every event below the checkpoint, and not before")
    func settles() throws {
        let (anna, ben) = (history.users[0], history.users[1])
        let last = history.last(of: anna).version.rawValue
        try write(passing: .named([anna, ben]), upTo: 90)
        try write(anna, last - 1, upTo: 90)
        // Another server was behind: what it wrote does not reach the checkpoint.
        #expect(try checkpoint().laggards.keys.contains(anna))
        try write(anna, last, upTo: 90)
        #expect(Array(try checkpoint().laggards.keys) == [ben])
    }

    @Test("A gap in the events of a laggard does not hide what comes after it")
    func gap() throws {
        let anna = history.users[0]
        try fixture.owner().execute(
            "ALTER TABLE events DISABLE TRIGGER ALL; DELETE FROM events WHERE user_id = '\(anna)' AND version = 1")
        try write(passing: .named([anna]), upTo: 90)
        #expect(try checkpoint().laggards == [anna: offset(anna, 2)])
    }

    @Test("A batch that finds a user missing moves nothing and records nobody")
    func missing() throws {
        let (anna, ben) = (history.users[0], history.users[1])
        let batch = ProjectionBatch(
            partition: partition, generation: 1, checkpoint: LogOffset(90), passed: .named([anna]),
            users: [ProjectedUser(user: ben, version: Version(9), base: Version(4), rows: [], dueAt: nil)])
        #expect(try ProjectionWriter().write(batch, on: connection).missing == [ben])
        #expect(try checkpoint() == .zero)
    }

    @Test("A laggard's rows are verified as far as they claim to be")
    func verifies() throws {
        let anna = history.users[0]
        try history.project([anna], on: connection)
        // One event more, which stays out of the rows.
        var more = history
        try more.append(anna, nil, nil)
        _ = try more.log(next: 1, after: 90, on: connection)
        try write(passing: .named([anna]), upTo: 91)
        let found = try UserVerifier().verify(anna, in: partition, on: connection)
        guard case .equal = found.verdict else {
            Issue.record("\(found)")
            return
        }
        #expect(found.version == history.last(of: anna).version)
        try connection.execute("DELETE FROM read_1.laggards")
        guard case .different(let difference) = try UserVerifier().verify(anna, in: partition, on: connection).verdict
        else {
            Issue.record("what the checkpoint claims is not compared")
            return
        }
        #expect(difference.version == .lacks(found.version.next))
    }

    @Test("One user's rows that exceed a statement go in several of one transaction, and each row once")
    func pieces() throws {
        let rows = (0..<40).map { number in
            ProjectedRow(
                RowKey(.focuses, key: "f\(number)"),
                Row(version: Version(1), value: [UInt8](repeating: UInt8(number), count: 1_000)))
        }
        let gone = (0..<40).map { ProjectedRow(RowKey(.focuses, key: "g\($0)"), nil) }
        let user = ProjectedUser(user: history.users[0], version: Version(1), rows: rows + gone, dueAt: nil)
        #expect(user.bytes > 40_000)
        let whole = ProjectionWriter.requests(partition, [user], shown: nil)
        let parts = ProjectionWriter.requests(partition, [user], shown: nil, bytes: 2_500)
        #expect(whole.count == 2 && parts.count == 21)
        _ = try connection.transaction { try $0.pipeline(parts) }
        let counts = "SELECT count(*) * 1000 + count(DISTINCT key) FROM read_1.focuses"
        #expect(try connection.integer(counts) == 40_040)
    }

    @Test("Rows that are dropped go from the table of their collection, in several statements, and no others go")
    func dropped() throws {
        let keys = [RowCollection.focuses, .interactions].flatMap { collection in
            (0..<10).map { RowKey(collection, key: "k\($0)") }
        }
        func requests(_ rows: [ProjectedRow], bytes: Int) -> [(Statement, [PostgresValue])] {
            let user = ProjectedUser(user: history.users[0], version: Version(1), rows: rows, dueAt: nil)
            return ProjectionWriter.requests(partition, [user], shown: nil, bytes: bytes)
        }
        let rows = keys.map { ProjectedRow($0, Row(version: Version(1), value: [])) }
        _ = try connection.transaction { try $0.pipeline(requests(rows, bytes: 1 << 20)) }
        // A key takes 30 bytes, so three fit into a statement.
        let drops = requests(keys.filter { $0.key != "k9" }.map { ProjectedRow($0, nil) }, bytes: 90)
        #expect(drops.count == 6)
        _ = try connection.transaction { try $0.pipeline(drops) }
        for table in ["focuses", "interactions"] {
            let left = "SELECT count(*) * 10 + count(*) FILTER (WHERE key = 'k9') FROM read_1.\(table)"
            #expect(try connection.integer(left) == 11, "\(table)")
        }
    }
}
