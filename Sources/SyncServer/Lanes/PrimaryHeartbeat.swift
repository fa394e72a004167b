import EventStore
import FocusCore
import Logging
import NIOConcurrencyHelpers
import Waits

/// Proves that the PostgreSQL server which the lanes ask is still the one that writes the log (rules A3 and V2).
///
/// Where commits wait for a synchronous standby, a commit that waits is made four times a second, on a thread and a
/// connection of its own. If none has succeeded within the last second, no rows are sent. With an asynchronous standby
/// nothing can be proved: a primary that was cut off while its standby was promoted answers as before.
final class PrimaryHeartbeat: Sendable {
    private static let pauseSeconds = 0.25

    private struct State {
        /// Whether commits wait for a synchronous standby; nil before the first answer.
        var waits: Bool?
        /// When the last commit that succeeded was sent, by the monotonic clock. The moment before it was sent counts,
        /// and not that of its answer: the server was the primary then, and may have been replaced since.
        var provedAt = MonotonicTime(milliseconds: .min / 2)
        /// When PostgreSQL last answered anything; nil before the first answer.
        var answeredAt: MonotonicTime?
        /// Cancels the commit under way.
        var cancel: (@Sendable () -> Void)?
        var hasEnded = true
    }

    private let store: StoreConfiguration
    private let clock: ServerClock
    private let logger: Logger
    private let state = NIOLockedValueBox(State())
    private let thread: NIOLockedValueBox<LaneThread?> = NIOLockedValueBox(nil)
    private let pausing = StoppablePause()

    init(_ store: StoreConfiguration, clock: ServerClock, logger: Logger) {
        self.store = store
        self.clock = clock
        self.logger = logger
    }

    /// Whether rows may be sent: a commit that was sent within so many milliseconds has succeeded, or, by the last
    /// answer, commits wait for no standby. False before the first answer.
    func vouches(within milliseconds: Int64) -> Bool {
        let (waits, provedAt) = state.withLockedValue { ($0.waits, $0.provedAt) }
        guard let waits else { return false }
        return !waits || clock.monotonic() - provedAt < milliseconds
    }

    /// When PostgreSQL last answered a heartbeat, also while commits wait for a standby that is away; nil: never.
    var answeredAt: MonotonicTime? { state.withLockedValue { $0.answeredAt } }

    /// Whether commits wait for a synchronous standby; nil before the first answer.
    var waits: Bool? { state.withLockedValue { $0.waits } }

    func start() {
        state.withLockedValue { $0.hasEnded = false }
        thread.withLockedValue { $0 = LaneThread(name: "heartbeat") { [self] in run() } }
    }

    /// Ends the thread; blocks until then. Cancels a commit that waits for its standby: nothing depends on it.
    func stop() {
        pausing.stop()
        // Cancelling is repeated, because a request that comes between two statements cancels nothing.
        while !state.withLockedValue({ $0.hasEnded }) {
            state.withLockedValue { $0.cancel }?()
            Deadline.after(seconds: 0.02).sleep()
        }
        thread.withLockedValue { $0 }?.join()
    }

    private func run() {
        let probe = PrimaryProbe(store)
        repeat {
            do {
                try prove(probe)
            } catch {
                logger.debug("no heartbeat", metadata: ["error": "\(error)"])
            }
        } while pausing.sleep(seconds: Self.pauseSeconds)
        state.withLockedValue { $0.hasEnded = true }
        probe.close()
    }

    private func prove(_ probe: PrimaryProbe) throws {
        let asked = clock.monotonic()
        let isProved = try probe.prove { cancel in
            let now = clock.monotonic()
            state.withLockedValue { ($0.waits, $0.cancel, $0.answeredAt) = (true, cancel, now) }
        }
        let now = clock.monotonic()
        state.withLockedValue { state in
            (state.waits, state.answeredAt) = (isProved, now)
            if isProved { state.provedAt = asked }
        }
    }
}
