import EventStore
import Logging
import PostgresClient
import Support
import Synchronization
import Testing

@testable import SyncServer

@Suite("Head hints, while PostgreSQL is away") struct HeadHintPauseTests {
    @Test("A listener that waits before it connects again ends at once when it is to stop", .timeLimit(.minutes(5)))
    func stopsWhilePausing() throws {
        let store = StoreConfiguration(PostgresConfiguration(conninfo: "host=/nowhere"))
        let failures = Failures()
        let hints = HeadHints(configuration: store, faults: Faults(), logger: Logger(label: "test")) { count in
            failures.most.withLock { $0 = max($0, count) }
            // Were the pause not ended, this test would not end either.
            return count == 0 ? 0 : 3_600
        }
        hints.start { _ in }
        try eventually("it pauses after a failure") { failures.most.withLock { $0 > 0 } }
        hints.stop()
    }

    private final class Failures: Sendable {
        let most = Mutex(0)
    }
}
