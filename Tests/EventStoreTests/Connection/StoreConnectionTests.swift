import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Synchronization
import Testing

/// How a server's connection to the log meets a database that is silent, busy or read-only.
@Suite("StoreConnection") struct StoreConnectionTests {
    private let fixture: StoreFixture
    private let user = UserID(UUID())
    private let troubles = Recorder<PostgresError.Kind>()

    init() throws { fixture = try StoreFixture() }

    /// Uses a store on a thread of its own, which is to be joined.
    private func withStore(
        silence milliseconds: Int = 60_000, _ interruption: StoreInterruption = StoreInterruption(),
        _ body: @escaping @Sendable (StoreConnection) throws -> Void
    ) throws -> PostgresThread {
        var configuration = PostgresConfiguration(conninfo: fixture.conninfo, applicationName: "store-under-test")
        configuration.silenceTimeoutMilliseconds = milliseconds
        let serving = StoreConfiguration(configuration).serving(interruption)
        return try PostgresThread(name: "store") { [troubles] in
            let store = StoreConnection(
                serving, isStopping: { interruption.isRaised }, onTrouble: { troubles.add($0.kind) })
            defer { store.close() }
            do {
                try body(store)
            } catch {
                Issue.record(error)
            }
        }
    }

    /// The first event of the log.
    private func batch() throws -> PartitionAppend {
        let owner = try fixture.owner()
        defer { owner.close() }
        let head = try #require(try LogReader().heads(of: [Partition(0)], on: owner).first)
        return PartitionAppend(behind: head, events: [.any(user: user, version: 1, offset: 0)])
    }

    /// A transaction that holds the place of that event. An append of it waits, and has locked its partition by then.
    private func hold() throws -> PostgresConnection {
        let holder = try fixture.owner()
        try holder.execute("BEGIN")
        try holder.execute(
            """
            INSERT INTO events (
                partition, log_offset, user_id, version, device_id, incarnation, device_seq, event_id, type, app_id,
                occurred_at, recorded_at, schema_version, encoding, payload)
            VALUES (
                0, 0, gen_random_uuid(), 1, gen_random_uuid(), 1, 1, gen_random_uuid(), 'badge.cleared', 'a',
                now(), now(), 1, 0, '')
            """)
        return holder
    }

    /// How many sessions of the store there are for which a condition holds.
    private func sessions(_ condition: String = "true") throws -> Int64 {
        let observer = try fixture.owner()
        defer { observer.close() }
        return try observer.integer(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'store-under-test' AND \(condition)
            """)
    }

    @Test("G2: an append without an answer is in doubt; while its transaction runs, sessions that ask do not gather")
    func silentAppend() throws {
        let holder = try hold()
        let outcome = Mutex<[Partition: PartitionOutcome]?>(nil)
        let batch = try batch()
        // Long enough that the append waits for the holder by then: before, it holds no lock, and others find it gone.
        let thread = try withStore(silence: 1_500) { store in
            let outcomes = try store.append([batch])
            outcome.withLock { $0 = outcomes }
        }
        try eventually("the append, and attempts to resolve, were given up") { troubles.values.count >= 3 }
        try eventually("the append's own session waits, and one that asks") { try sessions() <= 2 }
        #expect(outcome.withLock { $0 } == nil)
        try holder.execute("ROLLBACK")
        thread.join()
        #expect(outcome.withLock { $0 } == [Partition(0): .committed(generation: 1)])
    }

    @Test("G2: a read that takes longer than silence is borne is cancelled, and gets more time with each attempt")
    func slowRead() throws {
        let holder = try fixture.owner()
        try holder.execute("BEGIN")
        try holder.execute("LOCK TABLE log_partitions IN ACCESS EXCLUSIVE MODE")
        let thread = try withStore(silence: 100) { _ = try $0.heads(of: [Partition(0)]) }
        try eventually("it was given up three times") { troubles.values.count >= 3 }
        try eventually("what was given up was cancelled") { try sessions() <= 1 }
        try holder.execute("ROLLBACK")
        thread.join()
    }

    @Test("G1: an interruption ends a call that waits, and nothing is said of what it was about")
    func interrupted() throws {
        let holder = try hold()
        let interruption = StoreInterruption()
        let batch = try batch()
        let thread = try withStore(interruption) { store in
            #expect(throws: StoreStopped.self) { try store.append([batch]) }
        }
        try eventually("the append waits") { try sessions("wait_event_type = 'Lock'") == 1 }
        interruption.raise()
        thread.join()
        try holder.execute("ROLLBACK")
    }

    @Test("G2: a database that takes no writes is not connected to before it does")
    func readOnly() throws {
        let owner = try fixture.owner()
        defer { owner.close() }
        let named = try owner.query(Statement(name: "name", sql: "SELECT current_database()::text"))
        let database = try named.text(row: 0, column: 0)
        try owner.execute("ALTER DATABASE \(database) SET default_transaction_read_only = on")
        let isAnswered = Atomic<Bool>(false)
        let thread = try withStore { store in
            let heads = try store.timedHeads(of: [Partition(0)]).heads
            #expect(heads.count == 1)
            isAnswered.store(true, ordering: .releasing)
        }
        try eventually("it is tried again") { troubles.values.count { $0 == .cannotConnect } >= 3 }
        let early = isAnswered.load(ordering: .acquiring)
        #expect(!early)
        try owner.execute("ALTER DATABASE \(database) RESET default_transaction_read_only")
        thread.join()
    }

    @Test("P1: settings without which an acknowledged event may be lost are named")
    func risks() throws {
        // The tests' cluster runs without fsync.
        let plain = try fixture.owner()
        defer { plain.close() }
        #expect(try DurabilityRisk.read(on: plain) == [.fsync, .fullPageWrites])
        var configuration = PostgresConfiguration(conninfo: fixture.conninfo)
        configuration.settings["synchronous_commit"] = "off"
        let asynchronous = try PostgresConnection(configuration)
        defer { asynchronous.close() }
        #expect(try DurabilityRisk.read(on: asynchronous) == [.fsync, .fullPageWrites, .synchronousCommit])
    }
}
