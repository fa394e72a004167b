import NIOConcurrencyHelpers
import PostgresClient
import Waits

/// Starts the embedded cluster again whenever it dies while we run, on a thread of its own.
public final class ClusterSupervisor: Sendable {
    /// What the supervisor did; for the log.
    public enum Report: Sendable {
        case restarted
        /// A restart failed. The next one follows after a full-jitter backoff of at most 30 s.
        case failed(EmbeddedClusterError)
    }

    private let pause: StoppablePause
    private let thread: PostgresThread
    private let count = NIOLockedValueBox(0)

    /// How often the cluster was started again.
    public var restarts: Int { count.withLockedValue { $0 } }

    /// How soon a death is noticed (seconds).
    private static let interval = 0.1

    /// - Parameter report: called on the supervisor's thread.
    public init(
        _ cluster: EmbeddedCluster, report: @escaping @Sendable (Report) -> Void
    ) throws(PostgresError) {
        let pausing = StoppablePause()
        pause = pausing
        let count = count
        thread = try PostgresThread(name: "pg-supervisor") {
            var backoff = Backoff(base: .milliseconds(200), cap: .seconds(30))
            var pause = Self.interval
            while pausing.sleep(seconds: pause) {
                pause = Self.interval
                do throws(EmbeddedClusterError) {
                    guard try cluster.ensureRunning() else { continue }
                    backoff.reset()
                    count.withLockedValue { $0 += 1 }
                    report(.restarted)
                } catch {
                    pause = backoff.next() / .seconds(1)
                    report(.failed(error))
                }
            }
        }
    }

    /// Call it before or after `EmbeddedCluster.stop`; blocks until the thread has ended.
    public func stop() {
        pause.stop()
        thread.join()
    }

    deinit { pause.stop() }
}
