import FocusCore
import NIOConcurrencyHelpers

/// When the threads that devices depend on last went on: the event loops and the lanes. Whoever restarts a server that
/// hangs asks it (`/livez`, systemd's watchdog).
///
/// A database that is away makes no thread hang: a lane goes on while it waits for an answer, and answers devices.
final class Liveness: Sendable {
    /// How long a thread may take for one piece of work, in milliseconds: several times what the longest takes on a
    /// machine that has too much to do.
    static let patience: Int64 = 30_000

    private let clock: ServerClock
    private let turns = NIOLockedValueBox<[String: MonotonicTime]>([:])

    init(clock: ServerClock) { self.clock = clock }

    /// The thread goes on. One that never did is not looked at.
    /// - Parameter thread: its name.
    func turned(_ thread: String) {
        let now = clock.monotonic()
        turns.withLockedValue { $0[thread] = now }
    }

    /// The threads that have not gone on for longer than `patience`, in the order of their names.
    var hanging: [String] {
        let now = clock.monotonic()
        return turns.withLockedValue { $0.filter { now - $0.value > Self.patience }.keys }.sorted()
    }
}
