import FocusCore
import Foundation
import PostgresClient
import SeededNumbers
import Support
import Testing

@testable import EventStore

@Suite("The read model: ProjectionWriter and UserLoader")
struct ReadModelTests {
    private let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    /// Loads the users and writes what the read model lacks, as a lane does.
    private func project(
        _ users: [UserID], upTo checkpoint: LogOffset, loader: UserLoader = UserLoader(),
        on connection: PostgresConnection
    ) throws {
        let loaded = try loader.load(users.map { (RandomHistory.partition, $0) }, on: connection)
        let projected = try users.map { user in
            let current = try loaded[user]!.get()
            return ProjectedUser(
                current.state, keys: Array(current.touchedKeys), base: current.projectedVersion,
                dueAt: current.state.dueAt, stateBytes: nil)
        }
        let batch = ProjectionBatch(
            partition: RandomHistory.partition, generation: 1, checkpoint: checkpoint, users: projected)
        #expect(try ProjectionWriter().write(batch, on: connection).missing == [])
    }

    private static let loaders = [
        UserLoader(), UserLoader(tail: 21, chunk: 11, bytes: 5_000), UserLoader(tail: 1, chunk: 1, bytes: 1),
    ]

    @Test(
        "A random history, folded, equals what is loaded, however far the projector lags, whatever a statement takes",
        arguments: [1, 2, 3, 4], loaders.indices)
    func loadedEqualsFolded(seed: UInt64, loader: Int) throws {
        let loader = Self.loaders[loader]
        let history = try RandomHistory(seed: seed, users: 3, events: 400)
        let connection = try fixture.connection()
        var random = SplitMix64(seed: seed &+ 99)
        var logged = 0
        while logged < history.events.count {
            let events = Array(history.events[logged..<min(logged + Int.random(in: 1...60, using: &random), 400)])
            let append = PartitionAppend(
                partition: RandomHistory.partition, expectedOffset: events[0].offset, events: events)
            _ = try LogWriter().appendToEnd([append], on: connection)
            logged += events.count
            let some = history.users.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            if !some.isEmpty { try project(some, upTo: .zero, loader: loader, on: connection) }
            try expectCurrent(history, logged, seed, loader, on: connection)
        }
        try project(history.users, upTo: LogOffset(Int64(logged)), loader: loader, on: connection)
        try expectCurrent(history, logged, seed, loader, on: connection)
        let checkpoints = try ProjectionWriter().checkpoints(of: [RandomHistory.partition], on: connection)
        #expect(checkpoints == [RandomHistory.partition: Checkpoint(offset: LogOffset(Int64(logged)))])
    }

    private func expectCurrent(
        _ history: RandomHistory, _ logged: Int, _ seed: UInt64, _ loader: UserLoader, on connection: PostgresConnection
    ) throws {
        let loaded = try loader.load(history.users.map { (RandomHistory.partition, $0) }, on: connection)
        for user in history.users {
            let version = history.events[..<logged].last { $0.user == user }?.version ?? .zero
            var (expected, found) = (history.state(of: user, at: version), try loaded[user]!.get())
            #expect(found.state.version == version, "seed \(seed), \(logged) events")
            #expect(found.state.lastEvent == expected.lastEvent, "seed \(seed), \(logged) events")
            #expect(found.head.nextOffset == LogOffset(Int64(logged)))
            let view = View(scope: .system, device: DeviceID(user.uuid), deviceClass: .phone)
            #expect(found.state.digests(in: view) == expected.digests(in: view), "seed \(seed), \(logged) events")
            let everything = { (state: UserState) in
                state.rows(after: SyncPosition(version: .zero, key: nil), in: view, limitBytes: .max).rows
            }
            #expect(everything(found.state) == everything(expected), "seed \(seed), \(logged) events")
        }
    }

    @Test("A long tail is read in chunks: up to the moment at which the rows were read, whatever is logged meanwhile")
    func tailOfOneMoment() throws {
        let history = try RandomHistory(seed: 6, users: 2, events: 200)
        let connection = try fixture.connection()
        let log = { (range: Range<Int>) in
            let events = Array(history.events[range])
            let append = PartitionAppend(
                partition: RandomHistory.partition, expectedOffset: events[0].offset, events: events)
            _ = try LogWriter().appendToEnd([append], on: connection)
        }
        for chunk in [1, 10, 1_000] {
            let loader = UserLoader(tail: 10, chunk: chunk)
            let logged = Int(try connection.integer("SELECT next_offset FROM log_partitions WHERE partition = 0"))
            try log(logged..<logged + 50)
            let places = history.users.map { (RandomHistory.partition, $0) }
            let stored = try loader.read(places, .first, on: connection)
            try log(logged + 50..<logged + 60)
            for user in history.users {
                let loaded = try loader.folded(try #require(stored[user]), on: connection)
                let last = history.events[..<(logged + 50)].last { $0.user == user }
                #expect(loaded.state.version == last?.version && stored[user]?.events.count == 5)
                #expect(loaded.head.nextOffset == LogOffset(Int64(logged + 50)))
            }
        }
    }

    @Test("A user without events is at version 0; an unknown partition is an error")
    func newUser() throws {
        let connection = try fixture.connection()
        let user = UserID(UUID())
        let loaded = try #require(try UserLoader().load([(Partition(2), user)], on: connection)[user]).get()
        #expect(loaded.state.version == .zero && loaded.touchedKeys.isEmpty && loaded.projectedVersion == .zero)
        #expect(throws: EventStoreError.self) { try UserLoader().load([(Partition(99), user)], on: connection) }
    }

    @Test("A user whose fold throws is a failure and disturbs nobody")
    func brokenUser() throws {
        let history = try RandomHistory(seed: 5, users: 3, events: 120)
        let connection = try fixture.connection()
        try history.log(on: connection)
        try project(history.users, upTo: .zero, on: connection)
        try connection.execute(
            "UPDATE read_1.devices SET memo = '\\xff' WHERE partition = 0 AND user_id = '\(history.users[1])'")
        let loaded = try UserLoader().load(history.users.map { (RandomHistory.partition, $0) }, on: connection)
        #expect(throws: FoldError.self) { try loaded[history.users[1]]!.get() }
        #expect(try loaded[history.users[0]]!.get().state.version == history.last(of: history.users[0]).version)
        #expect(try loaded[history.users[2]]!.get().state.version == history.last(of: history.users[2]).version)
    }

    @Test("Who finds the checkpoint locked is busy and writes nothing")
    func busy() throws {
        let (one, other) = (try fixture.connection(), try fixture.connection())
        let batch = ProjectionBatch(partition: Partition(0), generation: 1, checkpoint: LogOffset(3), users: [])
        try one.transaction { one in
            _ = try one.query(Queries.lockCheckpoint, [.int4(0), .int8(-1)])
            #expect(try ProjectionWriter().write(batch, on: other) == .busy)
        }
        #expect(try ProjectionWriter().write(batch, on: other).missing == [])
    }

    @Test("A user who is shown at a later version already is left alone, and the checkpoint never goes back")
    func neverBack() throws {
        let connection = try fixture.connection()
        let user = UserID(UUID())
        let key = RowKey(.badges, app: AppID("com.example.app"))
        let write = { (version: Int64, checkpoint: Int64) in
            let row = Row(version: Version(version), value: BadgeRow(count: Int(version)).encoded)
            return try ProjectionWriter().write(
                ProjectionBatch(
                    partition: Partition(1), generation: 1, checkpoint: LogOffset(checkpoint),
                    users: [
                        ProjectedUser(
                            user: user, version: Version(version), rows: [ProjectedRow(key, row)], dueAt: nil)
                    ]),
                on: connection)
        }
        _ = try write(7, 70)
        #expect(try write(6, 60).missing == [])
        #expect(try connection.integer("SELECT unread FROM read.badges WHERE partition = 1") == 7)
        #expect(try connection.integer("SELECT log_offset FROM read_1.checkpoints WHERE partition = 1") == 70)
    }

    @Test("A read model that lost commits is not built upon: the user is missing, and the checkpoint stays")
    func lostCommits() throws {
        let connection = try fixture.connection()
        let user = UserID(UUID())
        let batch = ProjectionBatch(
            partition: Partition(1), generation: 1, checkpoint: LogOffset(9),
            users: [ProjectedUser(user: user, version: Version(9), base: Version(4), rows: [], dueAt: nil)])
        #expect(try ProjectionWriter().write(batch, on: connection).missing == [user])
        #expect(try connection.integer("SELECT log_offset FROM read_1.checkpoints WHERE partition = 1") == 0)
        #expect(try connection.integer("SELECT count(*) FROM read_1.users") == 0)
    }

    @Test("A batch is written on the timeline that it is made for, and on no other")
    func otherTimeline() throws {
        let connection = try fixture.connection()
        let known = try LogReader().timeline(on: connection)
        let started = try connection.integer(
            "SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint")
        #expect(known.name.dropFirst(8).first == "/", "the timeline's name, then when PostgreSQL was started")
        #expect(Int64(known.name.dropFirst(9).replacing(".", with: "")) == started)
        let write = { (timeline: Timeline) in
            try ProjectionWriter().write(
                ProjectionBatch(
                    partition: Partition(1), generation: 1, checkpoint: LogOffset(9), timeline: timeline, users: []),
                on: connection)
        }
        #expect(try write(Timeline(name: "FFFFFFFF")) == .otherLog)
        #expect(try connection.integer("SELECT log_offset FROM read_1.checkpoints WHERE partition = 1") == 0)
        #expect(try write(known) == .written(missing: [], checkpoint: LogOffset(9)))
    }

    @Test("A batch whose checkpoint does not reach behind its events waits for the disk: its loss would not show")
    func flushesParts() throws {
        let connection = try fixture.connection()
        try fixture.owner().execute(
            """
            CREATE TABLE seen (setting text);
            CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN INSERT INTO public.seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER see AFTER INSERT OR UPDATE ON read_1.users
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION see()
            """)
        try connection.execute("SET synchronous_commit = off")
        let user = UserID(UUID())
        let write = { (version: Int64, checkpoint: Int64, end: Int64?) throws in
            let batch = ProjectionBatch(
                partition: Partition(1), generation: 1, checkpoint: LogOffset(checkpoint),
                end: end.map { LogOffset($0) },
                users: [ProjectedUser(user: user, version: Version(version), rows: [], dueAt: nil)])
            #expect(try ProjectionWriter().write(batch, on: connection).missing == [])
        }
        try write(1, 10, 10)
        try write(2, 10, 10)
        try write(3, 11, 9)
        try write(4, 12, 13)
        try write(5, 14, nil)
        let seen = Statement(name: "seen", sql: "SELECT string_agg(setting, ' ') FROM seen")
        #expect(try fixture.owner().query(seen).text(row: 0, column: 0) == "off on off on on")
    }

    @Test("A batch for another generation, or of another fold, is not written")
    func otherGeneration() throws {
        let (connection, owner) = (try fixture.connection(), try fixture.owner())
        let batch = ProjectionBatch(partition: Partition(0), generation: 1, checkpoint: LogOffset(1), users: [])
        try owner.execute("UPDATE log_partitions SET generation = 2 WHERE partition = 0")
        #expect(try ProjectionWriter().write(batch, on: connection) == .otherGeneration)
        try owner.execute(
            "UPDATE log_partitions SET generation = 1 WHERE partition = 0; UPDATE generations SET fold_version = 77")
        #expect(try ProjectionWriter().write(batch, on: connection) == .otherGeneration)
    }

    @Test("Rows that are nil are forgotten for good, also under keys that no index takes")
    func forgottenRows() throws {
        let connection = try fixture.connection()
        let user = UserID(UUID())
        let keys = ["plain", "nul\u{0}", String(repeating: "x", count: 4_096)].map { RowKey(.focuses, key: $0) }
        let row = Row(version: Version(1), isDeleted: true, value: [])
        let batch = { (version: Int64, row: Row?) in
            ProjectionBatch(
                partition: Partition(0), generation: 1, checkpoint: .zero,
                users: [
                    ProjectedUser(
                        user: user, version: Version(version), rows: keys.map { ProjectedRow($0, row) }, dueAt: nil)
                ])
        }
        _ = try ProjectionWriter().write(batch(1, row), on: connection)
        #expect(try connection.integer("SELECT count(*) FROM read_1.focuses") == 3)
        _ = try ProjectionWriter().write(batch(2, nil), on: connection)
        #expect(try connection.integer("SELECT count(*) FROM read_1.focuses") == 0)
    }

    @Test("Rows that appeared are inserted; where one is there already for its memo, the batch looks each row up")
    func insertsWhatAppeared() throws {
        let connection = try fixture.connection()
        let user = UserID(UUID())
        func write(_ version: Int64, _ ids: [String], appeared: Bool) throws {
            let row = Row(version: Version(version), value: [UInt8(version)], memo: [1])
            let rows = ids.map {
                ProjectedRow(
                    RowKey(.notifications, app: AppID("a"), key: $0), row, appearedAt: appeared ? Version(version) : nil
                )
            }
            let batch = ProjectionBatch(
                partition: RandomHistory.partition, generation: 1, checkpoint: .zero,
                users: [ProjectedUser(user: user, version: Version(version), rows: rows, dueAt: nil)])
            #expect(try ProjectionWriter().write(batch, on: connection).missing == [])
        }
        let ids = (0..<40).map { "n\($0)" }
        try write(1, ["n7"], appeared: false)
        try write(2, ids, appeared: true)
        try write(3, (40..<80).map { "n\($0)" }, appeared: true)
        let versions = Statement(
            name: "versions",
            sql: "SELECT version, count(*) FROM read_1.notifications WHERE user_id = $1 GROUP BY 1 ORDER BY 1")
        let found = try connection.query(versions, [.uuid(user.uuid)])
        #expect(found.rowCount == 2)
        for row in 0..<2 { #expect(try found.int8(row: row, column: 1) == 40) }
    }
}
