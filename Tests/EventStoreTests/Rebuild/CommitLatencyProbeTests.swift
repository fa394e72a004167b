import PostgresClient
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

    @Test("It feels a real server: commits that are no later than before leave it a share, and it ends when told")
    func real() throws {
        let fixture = try StoreFixture()
        let probe = try CommitLatencyProbe(PostgresConfiguration(conninfo: fixture.conninfo))
        #expect((CommitLatencyProbe.leastShare...1).contains(probe.share))
        probe.stop()
    }

    private static func share(after count: Int, lateEvery period: Int, from start: Double = 1) -> Double {
        (1...count).reduce(start) { CommitLatencyProbe.share($0, isLate: $1 % period == 0) }
    }
}
