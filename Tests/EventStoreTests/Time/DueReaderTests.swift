import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore

@Suite("DueReader: for whom the read model says something is due") struct DueReaderTests {
    private let connection: PostgresConnection
    private let fixture: StoreFixture

    init() throws {
        fixture = try StoreFixture()
        connection = try fixture.connection()
    }

    private func project(
        _ user: UserID, _ version: Int64, in partition: Int32 = 0, dueAt second: Int64?
    ) throws {
        let projected = ProjectedUser(
            user: user, version: Version(version), rows: [],
            dueAt: second.map { Timestamp(microseconds: $0 * 1_000_000) })
        let batch = ProjectionBatch(
            partition: Partition(partition), generation: 1, checkpoint: .zero, users: [projected])
        #expect(try ProjectionWriter().write(batch, on: connection).missing == [])
    }

    private func due(
        _ places: [Partition: DuePlace], until second: Int64, limit: Int = 100
    ) throws -> [DueUser] {
        try DueReader().users(
            after: places, until: Timestamp(microseconds: second * 1_000_000), limit: limit, generation: 1,
            on: connection)
    }

    @Test(
        "T1, T3: who is due up to a moment, of each partition so many, in order; the next page goes on behind the last")
    func pages() throws {
        let users = (0..<5).map { _ in UserID(UUID()) }.sorted()
        try project(users[0], 1, dueAt: 30)
        // Two users due at the same moment: a page boundary between them must lose neither.
        try project(users[1], 1, dueAt: 10)
        try project(users[2], 1, dueAt: 10)
        try project(users[3], 1, in: 1, dueAt: 20)
        try project(users[4], 1, dueAt: nil)
        let both: [Partition: DuePlace] = [Partition(0): .start, Partition(1): .start]
        #expect(try due(both, until: 9).isEmpty)
        #expect(Set(try due(both, until: 30).map(\.user)) == Set(users.prefix(4)))
        #expect(try due([Partition(1): .start], until: 30).map(\.user) == [users[3]])
        var found: [UserID] = []
        var look = DuePlace.start
        while let next = try due([Partition(0): look], until: 30, limit: 1).first {
            found.append(next.user)
            try #require(found.count <= users.count, "a look begins where the one before did")
            look = DuePlace(next)
        }
        #expect(found == [users[1], users[2], users[0]])
    }

    @Test("T1, T3: a due time comes with the version it is of, and one that is wrong for its version is put right")
    func versions() throws {
        let user = UserID(UUID())
        let shown = { try due([Partition(0): .start], until: 1_000).map { $0.dueAt.microseconds / 1_000_000 } }
        try project(user, 2, dueAt: 20)
        #expect(try shown() == [20])
        // A late projector writes an older version; another one writes the same version with newer zone data.
        try project(user, 1, dueAt: 10)
        #expect(try shown() == [20])
        try project(user, 2, dueAt: 25)
        #expect(try shown() == [25])
        try project(user, 3, dueAt: nil)
        #expect(try shown() == [])
    }

    @Test("When nothing is due, a look is one probe of the index for each partition, however many users there are")
    func plan() throws {
        let owner = try fixture.owner()
        try owner.execute(
            """
            INSERT INTO read_1.users (partition, user_id, version, due_at)
            SELECT i % 4, gen_random_uuid(), 1, CASE WHEN i % 10 = 0 THEN now() + i * interval '1 h' END
            FROM generate_series(1, 20000) i;
            ANALYZE read_1.users;
            SET plan_cache_mode = force_generic_plan;
            PREPARE due AS \(Queries.findDueUsers.sql)
            """)
        let result = try owner.query(
            Statement(
                name: "explain",
                sql: """
                    EXPLAIN (ANALYZE, TIMING off, BUFFERS off) EXECUTE due (
                        '{0,1,2,3}', array_fill('1970-01-01'::timestamptz, '{4}'),
                        array_fill('00000000-0000-0000-0000-000000000000'::uuid, '{4}'), now(), 100)
                    """))
        let plan = try (0..<result.rowCount).map { try result.text(row: $0, column: 0) }
        let text = plan.joined(separator: "\n")
        let probe = try #require(plan.firstIndex { $0.contains("using users_due") }, "\(text)")
        #expect(plan[probe].contains("Index") && plan[probe].contains("loops=4"), "\(text)")
        let condition = try #require(plan.dropFirst(probe).first { $0.contains("Index Cond") }, "\(text)")
        #expect(condition.contains("partition = ") && condition.contains("due_at <= "), "\(text)")
        #expect(!plan.contains { $0.contains("Seq Scan") || $0.contains("Sort") || $0.contains("Removed") }, "\(text)")
    }

    @Test("A log from before there was a due_at: whoever may have something due is looked at, nobody else")
    func migration() throws {
        let owner = try fixture.owner()
        let user = { (last: Int) in "00000000-0000-0000-0000-00000000000\(last)" }
        try owner.execute(
            """
            DROP INDEX read_1.users_due;
            ALTER TABLE read_1.users DROP COLUMN due_at CASCADE;
            INSERT INTO read_1.users (partition, user_id, version) SELECT 0, u::uuid, 1
            FROM unnest(ARRAY['\(user(1))', '\(user(2))', '\(user(3))', '\(user(4))']) u;
            INSERT INTO read_1.active_focus (partition, user_id, app, key, version, deleted, value, memo, ends_at)
            VALUES
                (0, '\(user(1))', '', '', 1, false, '', '', now()), (0, '\(user(3))', '', '', 1, false, '', '', NULL);
            INSERT INTO read_1.delivery_schedule (partition, user_id, app, key, version, deleted, value, memo) VALUES
                (0, '\(user(2))', '', '', 1, false, '', ''), (0, '\(user(4))', '', '', 1, true, '', '');
            """)
        let migration = try #require(Migrations.all.first { $0.name == "due" })
        guard case .transaction(let sql) = migration.script else {
            Issue.record("it has no script")
            return
        }
        try owner.execute(sql)
        #expect(try due([Partition(0): .start], until: 1).map { "\($0.user)" } == [user(1), user(2)])
    }
}
