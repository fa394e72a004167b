import EventStore
import FocusCore
import Logging
import NIOConcurrencyHelpers

/// Asks the database for its figures, on a thread and a connection of its own: once a minute at the most, and only while
/// somebody wants to know.
final class StoreWatch: Sendable {
    private struct State {
        /// What the database last said, and when.
        var figures: (StoreFigures, at: MonotonicTime)?
        /// When it was last asked.
        var askedAt: MonotonicTime?
        var isAsking = false
    }

    private static let pauseMilliseconds: Int64 = 60_000

    private let clock: ServerClock
    private let state: NIOLockedValueBox<State>
    private let thread: StoreThread<Void>

    /// - Parameter isStopping: true ends the wait for a database that is away.
    init(
        _ store: StoreConfiguration, log: LogIdentity, clock: ServerClock, logger: Logger,
        isStopping: @escaping @Sendable () -> Bool
    ) {
        let state = NIOLockedValueBox(State())
        (self.clock, self.state) = (clock, state)
        thread = StoreThread("figures", store, priority: .background, logger: logger, isStopping: isStopping) {
            _, store in
            do {
                let figures = try store.figures(of: log)
                let now = clock.monotonic()
                state.withLockedValue { $0.figures = (figures, now) }
            } catch {
                // Figures of before stay: they say themselves of when they are.
                logger.debug("the database tells no figures", metadata: ["error": "\(error)"])
            }
            state.withLockedValue { $0.isAsking = false }
        }
    }

    func start() { thread.start() }

    /// Ends the thread; blocks until then.
    func stop() { thread.stop() }

    /// What the database last said, and how many milliseconds ago; nil before its first answer. Has it asked again when
    /// it was last asked a minute ago, and does not wait for it.
    func figures() -> (figures: StoreFigures, age: Int64)? {
        let now = clock.monotonic()
        let (isDue, last): (Bool, (StoreFigures, Int64)?) = state.withLockedValue { state in
            let last = state.figures.map { ($0.0, now - $0.at) }
            guard !state.isAsking, state.askedAt.map({ now - $0 >= Self.pauseMilliseconds }) ?? true else {
                return (false, last)
            }
            (state.isAsking, state.askedAt) = (true, now)
            return (true, last)
        }
        if isDue { thread.post(()) }
        return last
    }
}
