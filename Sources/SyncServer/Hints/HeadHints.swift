import EventStore
import FocusCore
import Logging
import NIOConcurrencyHelpers
import Waits

/// Tells other servers of commits, and hears of theirs. Only hints: who hears one looks at the
/// heads, and who hears none finds out by its poll, a quarter of a second later.
///
/// Two threads with a direct connection each, for which nobody waits. The first commit after a pause is told at once;
/// what follows within 10 ms is told together.
final class HeadHints: Sendable {
    private static let coalescingSeconds = 0.01
    /// How soon the listener sees that it is to stop.
    private static let listeningMilliseconds = 100

    private let configuration: StoreConfiguration
    private let faults: Faults
    private let logger: Logger
    private let pending = PendingHints()
    private let isStopping = NIOLockedValueBox(false)
    /// The server's process behind the sender: its notifications come back to our own listener.
    private let sender = NIOLockedValueBox<Int32?>(nil)
    private let threads = NIOLockedValueBox<[LaneThread]>([])
    private let hasListened = NIOLockedValueBox(false)

    /// Whether the listener stood once, and what it said then is on its way: before, heads are looked up at a moment of its
    /// own. For tests whose clock stands still.
    var isListening: Bool { hasListened.withLockedValue { $0 } }

    /// - Parameter configuration: a direct connection; through a pooler in transaction mode LISTEN hears nothing.
    init(configuration: StoreConfiguration, faults: Faults, logger: Logger) {
        self.configuration = configuration
        self.faults = faults
        self.logger = logger
    }

    /// `onMoved` hears of partitions that other servers appended to.
    func start(onMoved: @escaping @Sendable (HintListener.Heard) -> Void) {
        threads.withLockedValue {
            $0 = [
                LaneThread(name: "hint-sender") { [self] in send() },
                LaneThread(name: "hint-listener") { [self] in listen(onMoved) },
            ]
        }
    }

    /// Something was committed to these.
    func committed(_ partitions: some Sequence<Partition>) { pending.add(partitions) }

    /// Blocks until both threads have ended: a moment.
    func stop() {
        isStopping.withLockedValue { $0 = true }
        pending.stop()
        for thread in threads.withLockedValue({ $0 }) { thread.join() }
    }

    private func send() {
        let connection = HintSender(configuration)
        defer { connection.close() }
        var next = Deadline.passed
        var failures = 0
        while let partitions = pending.take(notBefore: next) {
            guard !faults.has(.notifyLost) else { continue }
            do {
                try connection.send(partitions)
                failures = 0
            } catch {
                // Not sent again: by the time that there is a connection, others have polled.
                logger.debug("hint not sent", metadata: ["error": "\(error)"])
                failures += 1
            }
            sender.withLockedValue { $0 = connection.backendPID }
            next = .after(seconds: max(Self.coalescingSeconds, Self.pause(after: failures)))
        }
    }

    private func listen(_ onMoved: @Sendable (HintListener.Heard) -> Void) {
        let connection = HintListener(configuration)
        defer { connection.close() }
        var failures = 0
        while !isStopping.withLockedValue({ $0 }) {
            do {
                let own = sender.withLockedValue { $0 }
                let heard = try connection.next(within: Self.listeningMilliseconds, ignoring: own)
                failures = 0
                if heard != .nothing { onMoved(heard) }
                hasListened.withLockedValue { $0 = true }
            } catch {
                logger.debug("not listening", metadata: ["error": "\(error)"])
                failures += 1
                Deadline.after(seconds: Self.pause(after: failures)).sleep()
            }
        }
    }

    /// Seconds: 20 ms, doubling, to half a second.
    private static func pause(after failures: Int) -> Double {
        failures == 0 ? 0 : min(0.5, 0.02 * Double(1 << min(failures - 1, 5)))
    }
}
