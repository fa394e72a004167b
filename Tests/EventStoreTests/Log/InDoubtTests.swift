import EventStore
import FocusCore
import Foundation
import PostgresClient
import SeededNumbers
import Support
import Synchronization
import Testing

@Suite("Appends in doubt")
struct InDoubtTests {
    private let fixture: StoreFixture
    private let user = UserID(UUID())

    init() throws { fixture = try StoreFixture() }

    private func batch(_ offset: Int64, partition: Int32 = 0) -> PartitionAppend {
        PartitionAppend(
            partition: Partition(partition), expectedOffset: LogOffset(offset),
            events: (0..<3).map {
                .any(user: user, version: offset + $0 + 1, partition: Partition(partition), offset: offset + $0)
            })
    }

    @Test("What was committed before the connection died is found")
    func committed() throws {
        let connection = try fixture.connection()
        let batches = [batch(0), batch(0, partition: 1)]
        _ = try LogWriter().appendToEnd(batches, on: connection)
        try terminate(connection)
        let outcomes = try LogWriter().resolveInDoubt(batches, on: fixture.connection())
        #expect(outcomes == [Partition(0): .committed(generation: 1), Partition(1): .committed(generation: 1)])
    }

    @Test("What never reached the log is behind, and can then be appended")
    func neverWritten() throws {
        let connection = try fixture.connection()
        try terminate(connection)
        let batches = [batch(0)]
        let error = #expect(throws: PostgresError.self) { try LogWriter().appendToEnd(batches, on: connection) }
        #expect(error?.outcomeIsUnknown == true)
        let fresh = try fixture.connection()
        #expect(try LogWriter().resolveInDoubt(batches, on: fresh) == [Partition(0): .behind])
        #expect(try LogWriter().appendToEnd(batches, on: fresh) == [Partition(0): .committed(generation: 1)])
        #expect(try LogWriter().resolveInDoubt(batches, on: fresh) == [Partition(0): .committed(generation: 1)])
    }

    @Test("Another writer's events at our offsets are not ours")
    func othersEvents() throws {
        let connection = try fixture.connection()
        _ = try LogWriter().appendToEnd([batch(0)], on: connection)
        #expect(try LogWriter().resolveInDoubt([batch(0)], on: connection) == [Partition(0): .behind])
        // The same event, which another server has refused and logged as such.
        var refused = batch(3)
        let ours = refused
        refused.events[1].type = EventType.eventRefused.rawValue
        _ = try LogWriter().appendToEnd([refused], on: connection)
        #expect(try LogWriter().resolveInDoubt([ours], on: connection) == [Partition(0): .behind])
        #expect(try LogWriter().resolveInDoubt([refused], on: connection) == [Partition(0): .committed(generation: 1)])
    }

    @Test(
        "Resolving waits for the transaction of the lost connection, and then sees what it did",
        arguments: [true, false])
    func waitsForTheLostOne(commits: Bool) throws {
        let lost = try fixture.connection()
        let batches = [batch(0)]
        try lost.execute("BEGIN")
        _ = try LogWriter().appendToEnd(batches, on: lost)
        let outcome = Mutex<Result<[Partition: PartitionOutcome], any Error>?>(nil)
        let fixture = fixture
        try withThread {
            let result = Result {
                try LogWriter().resolveInDoubt(batches, on: fixture.connection(), lockSeconds: 120)
            }
            outcome.withLock { $0 = result }
        } during: {
            // Closed even if an expectation fails, so that the resolver does not wait for ever.
            defer { lost.close() }
            let observer = try fixture.owner()
            try eventually("the resolver waits for the lock") {
                try observer.integer(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'
                    """) == 1
            }
            #expect(outcome.withLock { $0 == nil })
            if commits { try lost.execute("COMMIT") } else { try terminate(lost) }
        }
        let expected: PartitionOutcome = commits ? .committed(generation: 1) : .behind
        #expect(try outcome.withLock { $0 }?.get() == [Partition(0): expected])
    }

    @Test("The connection is cut at random moments of 60 appends: each is in the log exactly once in the end")
    func cutAtRandom() throws {
        let observer = try fixture.owner()
        // unsafe: only the thread uses it until it is joined.
        nonisolated(unsafe) let killer = try fixture.owner()
        var connection = try fixture.connection()
        var random = SplitMix64(seed: 97)
        var doubts = 0
        for round in 0..<60 {
            let batches = [batch(Int64(round) * 3)]
            let pid = try connection.integer("SELECT pg_backend_pid()")
            let delay = UInt32.random(in: 0..<1_500, using: &random)
            try withThread {
                // A random moment is what the test is about; nothing is waited for.
                usleep(delay)
                _ = try? killer.integer("SELECT pg_terminate_backend(\(pid))::integer")
            } during: {
                var outcomes: [Partition: PartitionOutcome]
                do {
                    outcomes = try LogWriter().appendToEnd(batches, on: connection)
                } catch let error as PostgresError where error.outcomeIsUnknown {
                    doubts += 1
                    connection = try fixture.connection()
                    outcomes = try LogWriter().resolveInDoubt(batches, on: connection)
                }
                if outcomes[Partition(0)] == .behind {
                    outcomes = try LogWriter().appendToEnd(batches, on: connection)
                }
                #expect(outcomes == [Partition(0): .committed(generation: 1)], "round \(round), delay \(delay)")
            }
            let isAlive = connection.isUsable && (try? connection.integer("SELECT 1")) != nil
            if !isAlive { connection = try fixture.connection() }
        }
        #expect(doubts > 0, "no cut met an append")
        #expect(try observer.integer("SELECT count(DISTINCT event_id) FROM events WHERE partition = 0") == 180)
        #expect(try observer.integer("SELECT next_offset FROM log_partitions WHERE partition = 0") == 180)
    }

    private func terminate(_ connection: PostgresConnection) throws {
        let pid = try connection.integer("SELECT pg_backend_pid()")
        let observer = try fixture.owner()
        _ = try observer.integer("SELECT pg_terminate_backend(\(pid))::integer")
        try eventually("the backend is gone") {
            try observer.integer("SELECT count(*) FROM pg_stat_activity WHERE pid = \(pid)") == 0
        }
    }

    private func withThread(_ body: @escaping @Sendable () -> Void, during other: () throws -> Void) throws {
        let thread = try PostgresThread(name: "test", body)
        defer { thread.join() }
        try other()
    }
}
