import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Synchronization
import Testing

/// Appends of a writer that locks its partitions first, on a real PostgreSQL.
@Suite("Appends that lock first") struct LockedAppendTests {
    private let fixture: StoreFixture
    private let user = UserID(UUID())

    init() throws { fixture = try StoreFixture() }

    private func head(_ partition: Int32 = 0, on connection: PostgresConnection) throws -> PartitionHead {
        try #require(try LogReader().heads(of: [Partition(partition)], on: connection).first)
    }

    private func batch(behind head: PartitionHead, count: Int64 = 3) -> PartitionAppend {
        let first = head.nextOffset.rawValue
        return PartitionAppend(
            behind: head,
            events: (0..<count).map {
                .any(user: user, version: first + $0 + 1, partition: head.partition, offset: first + $0)
            })
    }

    private func append(_ partition: Int32 = 0, count: Int64 = 3, on connection: PostgresConnection) throws {
        let batch = batch(behind: try head(partition, on: connection), count: count)
        #expect(
            try LogWriter().append([batch], on: connection) == [Partition(partition): .committed(generation: 1)])
    }

    private func waiting(_ observer: PostgresConnection) throws -> Int64 {
        try observer.integer(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'
            """)
    }

    @Test("It is told all that others appended, and nobody comes before it: who would waits, and then is behind")
    func holds() throws {
        let (mine, other, observer) = (try fixture.connection(), try fixture.connection(), try fixture.owner())
        try append(on: other)
        let known = try (0..<2).map { try head($0, on: mine) }
        try append(count: 5, on: other)
        // The locks are held for two idle seconds at most: what is asked meanwhile is planned before.
        _ = try (waiting(observer), head(on: observer))
        let locked = try LogWriter().lock(behind: known.reversed(), limit: 5, on: mine)
        #expect(locked.map(\.head.partition) == [Partition(0), Partition(1)])
        guard case .events(let gap) = locked[0].gap, case .events(let none) = locked[1].gap else {
            Issue.record("no events")
            return
        }
        #expect(gap.map(\.offset.rawValue) == Array(3..<8) && none.isEmpty)
        #expect(locked[0].head == (try head(on: observer)))
        let theirs = batch(behind: locked[0].head)
        let outcome = Mutex<[Partition: PartitionOutcome]?>(nil)
        nonisolated(unsafe) let late = other
        let thread = try PostgresThread(name: "late") {
            let found = try? LogWriter().append([theirs], on: late)
            outcome.withLock { $0 = found }
        }
        try eventually("the other waits") { try waiting(observer) == 1 }
        let batches = locked.map { batch(behind: $0.head) }
        let expected = PartitionOutcome.committed(generation: 1)
        #expect(try LogWriter().commitLocked(batches, on: mine) == [Partition(0): expected, Partition(1): expected])
        #expect(mine.isIdle)
        thread.join()
        #expect(outcome.withLock { $0 } == [Partition(0): .behind])
    }

    @Test("Of a gap that is wider than the limit the users are told")
    func wideGap() throws {
        let (mine, other) = (try fixture.connection(), try fixture.connection())
        try append(on: other)
        let known = try head(on: mine)
        try append(count: 4, on: other)
        let locked = try LogWriter().lock(behind: [known], limit: 3, on: mine)
        guard case .users(let users) = locked.first?.gap else {
            Issue.record("no users")
            return
        }
        #expect(users.map(\.user) == [user] && users.first?.firstOffset == LogOffset(3))
        #expect(users.first?.lastOffset == LogOffset(6))
        mine.rollBack()
        try append(on: other)
    }

    @Test("S6: a log that does not lead to where it ends now has nothing locked", arguments: [true, false])
    func fallen(isShorter: Bool) throws {
        let (mine, other) = (try fixture.connection(), try fixture.connection())
        try append(on: other)
        var known = try head(on: mine)
        if isShorter { known.nextOffset = known.nextOffset.next } else { known.lastEvent = EventID(UUID()) }
        #expect(throws: LogTruncated(Partition(0))) { try LogWriter().lock(behind: [known], limit: 10, on: mine) }
        #expect(mine.isIdle)
        try append(on: other)
    }

    @Test("A writer that stands still with its locks loses them, and nothing that it appends then is written")
    func idle() throws {
        let (mine, other) = (try fixture.connection(), try fixture.connection())
        let locked = try LogWriter().lock(behind: [try head(on: mine)], limit: 10, on: mine)
        // It waits for the lock until PostgreSQL has ended the transaction.
        try append(on: other)
        let error = #expect(throws: PostgresError.self) {
            try LogWriter().commitLocked([batch(behind: locked[0].head)], on: mine)
        }
        #expect(error?.outcomeIsUnknown == true)
        let fresh = try fixture.connection()
        #expect(
            try LogWriter().resolveInDoubt([batch(behind: locked[0].head)], on: fresh) == [Partition(0): .behind])
        #expect(try head(on: fresh).nextOffset == LogOffset(3))
    }

    @Test("A statement that fails writes nothing and holds nothing")
    func fails() throws {
        let (mine, other) = (try fixture.connection(), try fixture.connection())
        let locked = try LogWriter().lock(behind: [try head(on: mine)], limit: 10, on: mine)
        var wrong = batch(behind: locked[0].head)
        wrong.events[1].type = "no.such_type"
        #expect(throws: PostgresError.self) { try LogWriter().commitLocked([wrong], on: mine) }
        #expect(mine.isIdle)
        _ = try LogWriter().lock(behind: [try head(on: mine)], limit: 10, on: mine)
        wrong.events.removeLast(2)
        wrong.events[0].offset = LogOffset(9)
        #expect(throws: PostgresError.self) { try LogWriter().commitLocked([wrong], on: mine) }
        #expect(mine.isIdle)
        try append(on: other)
    }

    @Test("P1: a connection that is cut at any moment leaves the events in the log once, or not at all")
    func cut() throws {
        var mine = try fixture.connection()
        // unsafe: only the killer's thread uses it until it is joined.
        nonisolated(unsafe) let owner = try fixture.owner()
        var known = try head(on: mine)
        var doubts = 0
        for round in 0..<40 {
            let pid = try mine.integer("SELECT pg_backend_pid()")
            let killer = try PostgresThread(name: "killer") {
                // Another moment each time is what the test is about; nothing is waited for.
                usleep(UInt32(round * 60))
                _ = try? owner.integer("SELECT pg_terminate_backend(\(pid))::integer")
            }
            var (batches, outcomes): ([PartitionAppend], [Partition: PartitionOutcome]) = ([], [:])
            do {
                let locked = try LogWriter().lock(behind: [known], limit: 100, on: mine)
                batches = [batch(behind: locked[0].head)]
                outcomes = try LogWriter().commitLocked(batches, on: mine)
            } catch let error as PostgresError where error.outcomeIsUnknown {
                doubts += 1
                outcomes = try LogWriter().resolveInDoubt(batches, on: fixture.connection())
            }
            killer.join()
            mine = try fixture.connection()
            let before = known.nextOffset
            known = try head(on: mine)
            let isCommitted = outcomes[Partition(0)] == .committed(generation: 1)
            #expect(known.nextOffset.rawValue - before.rawValue == (isCommitted ? 3 : 0), "round \(round)")
        }
        #expect(doubts > 0, "no cut met an append")
    }

    @Test("Two that lock the same partitions do not wait for each other, in whatever order they name them")
    func noDeadlock() throws {
        _ = try inParallel(2) { index in
            let connection = try fixture.connection()
            defer { connection.close() }
            let partitions = index == 0 ? [0, 1, 2, 3] : [3, 2, 1, 0] as [Int32]
            for _ in 0..<50 {
                let known = try partitions.map { try head($0, on: connection) }
                let locked = try LogWriter().lock(behind: known, limit: 1_000, on: connection)
                let outcomes = try LogWriter().commitLocked(
                    locked.map { batch(behind: $0.head, count: 1) }, on: connection)
                #expect(outcomes.values.allSatisfy { $0 == .committed(generation: 1) })
            }
        }
        #expect(try head(on: fixture.connection()).nextOffset == LogOffset(100))
    }
}
