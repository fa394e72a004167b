import EventStore
import FocusCore
import Logging
import NIOConcurrencyHelpers
import Waits

/// Tells other servers of this server's commits, and hears of theirs. They are only hints: a server that hears one
/// looks up the heads, and one that hears none finds out by its poll within a quarter of a second.
///
/// Sending and listening have a thread and a direct connection each, and nobody waits for them. The first commit after
/// a pause is told at once; commits that follow within 10 ms are told together.
final class HeadHints: Sendable {
    private static let coalescingSeconds = 0.01
    /// How long the listener waits for notifications before it looks whether it is to stop.
    private static let listeningMilliseconds = 100

    private let configuration: StoreConfiguration
    private let faults: Faults
    private let logger: Logger
    private let pending = PendingHints()
    /// The listener's pause after a failure; stopped when both threads are to end.
    private let pausing = StoppablePause()
    private let pauseSeconds: @Sendable (Int) -> Double
    /// The backend process of the sending connection. The listener ignores its notifications, which come back to it.
    private let sender = NIOLockedValueBox<Int32?>(nil)
    private let threads = NIOLockedValueBox<[LaneThread]>([])
    private let hasListened = NIOLockedValueBox(false)

    /// Whether the listener has connected once and reported the hint that every new connection begins with. For tests
    /// whose clock stands still: until then the lanes may get that hint at any moment.
    var isListening: Bool { hasListened.withLockedValue { $0 } }

    /// - Parameters:
    ///   - configuration: connects without a pooler: through one in transaction mode LISTEN hears nothing.
    ///   - pauseSeconds: how long to wait after so many failures in a row, to connect or to send; 0 after none.
    init(
        configuration: StoreConfiguration, faults: Faults, logger: Logger,
        pauseSeconds: @escaping @Sendable (Int) -> Double = HeadHints.pauseSeconds
    ) {
        self.configuration = configuration
        self.faults = faults
        self.logger = logger
        self.pauseSeconds = pauseSeconds
    }

    /// Starts both threads.
    /// - Parameter onMoved: called on the listener's thread with the partitions that other servers may have appended
    ///   to.
    func start(onMoved: @escaping @Sendable (HintListener.Heard) -> Void) {
        threads.withLockedValue {
            $0 = [
                LaneThread(name: "hint-sender") { [self] in send() },
                LaneThread(name: "hint-listener") { [self] in listen(onMoved) },
            ]
        }
    }

    /// Tells other servers that something was committed to these partitions. Does not wait.
    func committed(_ partitions: some Sequence<Partition>) { pending.add(partitions) }

    /// Blocks until both threads have ended: for a tenth of a second at most, unless a connection is being made.
    func stop() {
        pausing.stop()
        pending.stop()
        for thread in threads.withLockedValue({ $0 }) { thread.join() }
    }

    private func send() {
        let connection = HintSender(configuration)
        defer { connection.close() }
        var next = Deadline.passed
        var failures = 0
        while let partitions = pending.dequeue(notBefore: next) {
            guard !faults.has(.notifyLost) else { continue }
            do {
                try connection.send(partitions)
                failures = 0
            } catch {
                // A lost hint is not sent again: by the time that there is a connection, other servers have polled.
                logger.debug("hint not sent", metadata: ["error": "\(error)"])
                failures += 1
            }
            sender.withLockedValue { $0 = connection.backendPID }
            next = .after(seconds: max(Self.coalescingSeconds, pauseSeconds(failures)))
        }
    }

    private func listen(_ onMoved: @Sendable (HintListener.Heard) -> Void) {
        let connection = HintListener(configuration)
        defer { connection.close() }
        var failures = 0
        while pausing.sleep(seconds: pauseSeconds(failures)) {
            do {
                let own = sender.withLockedValue { $0 }
                let heard = try connection.next(within: Self.listeningMilliseconds, ignoring: own)
                failures = 0
                if heard != .nothing { onMoved(heard) }
                hasListened.withLockedValue { $0 = true }
            } catch {
                logger.debug("not listening", metadata: ["error": "\(error)"])
                failures += 1
            }
        }
    }

    /// 20 ms, doubled with each failure up to half a second.
    static let pauseSeconds: @Sendable (Int) -> Double = { failures in
        failures == 0 ? 0 : min(0.5, 0.02 * Double(1 << min(failures - 1, 5)))
    }
}
