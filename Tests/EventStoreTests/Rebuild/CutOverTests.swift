import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore

/// The cut-over of a partition whose log grows at every step.
@Suite("Cut-over") struct CutOverTests {
    private let fixture: RebuildFixture
    private let partition = RandomHistory.partition
    private var history: RandomHistory
    private let comparison = UserComparison(
        target: Generation(2), shown: Generation(1), rules: .current, isSameFold: true)

    init() throws {
        fixture = try RebuildFixture()
        history = fixture.history
        for (user, change) in [
            (0, "UPDATE read_1.authorizations SET version = version + 9"),
            (1, "UPDATE read_1.authorizations SET version = version + 9"),
            (2, "UPDATE read_1.authorizations SET memo = memo || '\\x1000'"),
        ] {
            try fixture.owner.execute(
                """
                \(change) WHERE user_id = '\(history.users[user])' AND app = 'com.example.run' AND key = 'location'
                """)
        }
    }

    /// Logs one event for each of the users, without projecting it.
    private mutating func grow(_ users: [UserID]) throws {
        let from = history.events.count
        for user in users { try history.append(user, nil, nil) }
        _ = try LogWriter().appendToEnd(
            [
                PartitionAppend(
                    partition: partition, expectedOffset: LogOffset(Int64(from)),
                    events: Array(history.events[from...]))
            ], on: fixture.connection)
    }

    /// The place of a generation 2 that is filled from the log and not compared yet.
    private func filled() throws -> RebuildPlace {
        let owner = fixture.owner
        _ = try owner.query(Queries.createGeneration, [.int4(2), .int4(FocusCore.foldVersion)])
        _ = try owner.query(Queries.beginRebuild, [.int4(2), .text("rebuild"), .bool(false), .bool(true)])
        _ = try owner.query(Queries.beginRebuildPartitions, [.int4(2), .text(RebuildPlace.Phase.filling.rawValue)])
        var place = try #require(
            try RebuildPlace.read(of: Generation(2), on: owner).first { $0.partition == partition })
        try PartitionFill(rules: .current) { _ in }.run(&place, then: .comparing, on: owner)
        return place
    }

    /// Takes every step of the cut-over before the lock.
    private func followed(
        _ place: inout RebuildPlace, _ users: inout FollowedUsers, grow: () throws -> Void
    ) throws {
        let follow = PartitionFollow(comparison: comparison) { _ in }
        try follow.compareAll(&place, on: fixture.owner)
        try grow()
        try follow.recall(place, &users, on: fixture.owner)
        try follow.follow(&place, &users, on: fixture.owner)
    }

    private func checkpoint() throws -> Int64 {
        try fixture.owner.integer("SELECT log_offset FROM read_2.checkpoints WHERE partition = \(partition.rawValue)")
    }

    @Test(
        "S8: events that come before each step, and before the lock: who differs is told once, whether they were kept or not",
        arguments: [100_000, 0])
    mutating func growing(rowLimit: Int) throws {
        var place = try filled()
        var users = FollowedUsers(rowLimit: rowLimit, keyLimit: rowLimit)
        let (told, alike) = (Array(history.users[0...1]), Array(history.users[3...5]))
        try grow([told[0], alike[0]])
        var grown = self
        try followed(&place, &users) { try grown.grow([told[0], alike[1]]) }
        try grown.grow([told[0], alike[2], alike[2]])
        self = grown
        let outcome = try CutOver(comparison: comparison).run(&place, &users, on: fixture.owner)
        #expect(outcome.users == 2 && outcome.events == 2 && outcome.rows == 2)
        #expect(place.phase == .done)

        let head = try #require(try LogReader().heads(of: [partition], on: fixture.owner).first)
        #expect(head.generation == 2 && head.nextOffset.rawValue == Int64(history.events.count + 2))
        let events = try LogReader().events(
            partition: partition, from: LogOffset(Int64(history.events.count)), limit: 9, on: fixture.owner)
        #expect(Set(events.map(\.user)) == Set(told))
        for event in events {
            #expect(event.type == EventType.projectionRebuilt.rawValue)
            #expect(event.version == history.last(of: event.user).version.next)
        }
        // Rows may lag behind the head: a load folds the missing events, and the rest is written after the commit.
        #expect(try checkpoint() < head.nextOffset.rawValue)
        try fixture.expectVerified()
        try CutOver(comparison: comparison).project(place, pause: {}, on: fixture.owner)
        #expect(try checkpoint() == head.nextOffset.rawValue)
        try fixture.expectVerified()
    }

    @Test("A cut-over, and a projector, have PostgreSQL end their transaction where they stand still")
    func standsStill() throws {
        try fixture.owner.execute(
            """
            CREATE TABLE public.bounds (idle text);
            CREATE FUNCTION public.note_bound() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN
                INSERT INTO public.bounds VALUES (current_setting('idle_in_transaction_session_timeout'));
                RETURN NULL;
            END $$;
            """)
        var place = try filled()
        var users = FollowedUsers()
        try followed(&place, &users) {}
        for table in ["public.log_partitions", "read_2.checkpoints"] {
            try fixture.owner.execute(
                "CREATE TRIGGER note AFTER UPDATE ON \(table) FOR EACH ROW EXECUTE FUNCTION public.note_bound()")
        }
        _ = try CutOver(comparison: comparison).run(&place, &users, on: fixture.owner)
        #expect(try fixture.owner.integer("SELECT count(*) FROM public.bounds WHERE idle = '10s'") > 0)
        try fixture.owner.execute("TRUNCATE public.bounds")
        try CutOver(comparison: comparison).project(place, pause: {}, on: fixture.owner)
        #expect(try fixture.owner.integer("SELECT count(*) FROM public.bounds WHERE idle = '10s'") > 0)
        #expect(try fixture.owner.integer("SELECT count(*) FROM public.bounds WHERE idle <> '10s'") == 0)
    }

    @Test("S8: rows of a generation that was shown before are written behind a projector that still writes to it")
    func lateProjector() throws {
        let place = try filled()
        let projector = try fixture.fixture.connection()
        defer { projector.close() }
        let partition = PostgresValue.int4(place.partition.rawValue)
        let settled = SettledUsers(lacking: [], different: [], alike: Set(history.users), checkpoint: nil)
        try projector.transaction { connection in
            _ = try connection.query(place.generation.statement(Queries.lockCheckpoint), [partition, .int8(-1)])
            try fixture.owner.execute("SET lock_timeout = '100ms'")
            let error = #expect(throws: PostgresError.self) {
                try fixture.owner.transaction { try $0.settle(settled, at: place) }
            }
            #expect(error?.kind == .lockNotAvailable)
        }
        try fixture.owner.transaction { try $0.settle(settled, at: place) }
    }

    @Test("S8: a log that ends before what was followed, as after a failover, gives the cut-over up, and traps nothing")
    func fallenBack() throws {
        var place = try filled()
        var users = FollowedUsers()
        try followed(&place, &users) {}
        place.followed = place.followed.advanced(by: 3)
        let cutOver = CutOver(comparison: comparison)
        let error = #expect(throws: RebuildError.self) { try cutOver.run(&place, &users, on: fixture.owner) }
        guard case .overtaken(partition) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(place.phase == .following)
        try CutOver(
            comparison: UserComparison(
                target: Generation(1), shown: Generation(1), rules: .current, isSameFold: true)
        ).project(place, pause: {}, on: fixture.owner)
    }

    @Test("Servers are told whose rows are not the same, seen or not, and of which generations that is true")
    mutating func changedUsers() throws {
        var place = try filled()
        var users = FollowedUsers()
        try followed(&place, &users) {}
        let store = StoreConnection(fixture.fixture.configuration, isStopping: { false }, onTrouble: { _ in })
        defer { store.close() }
        let changed = { try store.changedUsers(of: RandomHistory.partition, from: $0, to: $1) }
        #expect(try changed(1, 2) == nil)
        _ = try CutOver(comparison: comparison).run(&place, &users, on: fixture.owner)
        #expect(try changed(1, 2) == Set(history.users[0...2]))
        #expect(try changed(3, 2) == nil && changed(2, 1) == nil)
        // If there are as many users as the limit, they are not named.
        #expect(try store.changedUsers(of: partition, from: 1, to: 2, limit: 4)?.count == 3)
        #expect(try store.changedUsers(of: partition, from: 1, to: 2, limit: 3) == nil)
        #expect(try store.changedUsers(of: Partition(1), from: 1, to: 2) == nil)
        try fixture.owner.execute("DELETE FROM rebuild_differences")
        #expect(try changed(1, 2) == [])
        // Under another fold every user counts as changed, whatever the rows say.
        try fixture.owner.execute("UPDATE generations SET fold_version = fold_version - 1 WHERE generation = 1")
        #expect(try changed(1, 2) == nil)
    }
}
