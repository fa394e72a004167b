import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore

/// How the latency of commits limits the share of time in which a rebuild works.
@Suite("Commit probe") struct CommitLatencyProbeTests {
    @Test(
        "The measure is twice the slow commits before the work, of which the slowest may have been chance, and 4 ms more"
    )
    func measure() {
        #expect(CommitLatencyProbe.limit([0.001, 0.002, 0.001]) == 0.005)
        #expect(CommitLatencyProbe.limit([1, 2, 3, 1, 90]) == 6)
        #expect(CommitLatencyProbe.limit([4]) == 8)
    }

    @Test("One late commit in a hundred leaves a rebuild most of its load; when half are late, it gets the least")
    func share() {
        #expect(Self.share(after: 10_000, lateEvery: 100) > 0.6)
        #expect(Self.share(after: 10_000, lateEvery: 2) == CommitLatencyProbe.leastShare)
        // The limit recovers from a series of late commits: half a minute later nearly the full share is allowed again.
        #expect(Self.share(after: 600, lateEvery: .max, from: CommitLatencyProbe.leastShare) == 1)
    }

    @Test("It feels a real server: commits that are held up lower the share; stopped, its connection is gone")
    func real() throws {
        let fixture = try StoreFixture()
        let owner = try fixture.owner()
        defer { owner.close() }
        let probe = try CommitLatencyProbe(PostgresConfiguration(conninfo: fixture.conninfo))
        let session = try owner.query(Self.otherSessions)
        let backend = try pid_t(#require(session.rowCount == 1 ? session.int4(row: 0, column: 0) : nil))
        var milliseconds: UInt32 = 250
        try eventually("a late commit lowers the share") {
            kill(backend, SIGSTOP)
            usleep(milliseconds * 1_000)
            kill(backend, SIGCONT)
            // The commits before the work may have been slow, and these must be slower.
            milliseconds = min(2 * milliseconds, 8_000)
            return probe.share < 1
        }
        probe.stop()
        try eventually("its connection is gone") { try owner.query(Self.otherSessions).rowCount == 0 }
    }

    private static let otherSessions = Statement(
        name: "test_other_sessions",
        sql: """
            SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
            """)

    private static func share(after count: Int, lateEvery period: Int, from start: Double = 1) -> Double {
        (1...count).reduce(start) { CommitLatencyProbe.share($0, isLate: $1 % period == 0) }
    }
}
