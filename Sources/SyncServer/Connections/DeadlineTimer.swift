import FocusCore
import NIOCore

/// Wakes a connection at one moment at a time; confined to its event loop.
///
/// A task of the loop is never cancelled, only ignored when its time comes: to cancel one, NIO looks through all that the
/// loop has, and ten thousand devices that leave at once would hold everybody up for as many times ten thousand looks
/// (rule L5).
final class DeadlineTimer {
    private let eventLoop: any EventLoop
    private var onTime: (() -> Void)?
    private var time = MonotonicTime(milliseconds: .max)

    init(on eventLoop: any EventLoop, onTime: @escaping () -> Void) {
        self.eventLoop = eventLoop
        self.onTime = onTime
    }

    /// Sets it to an earlier moment than it is set to; a later one is met when this one has come.
    func set(for deadline: MonotonicTime, now: @autoclosure () -> MonotonicTime) {
        guard onTime != nil, deadline < time else { return }
        time = deadline
        let loop = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: .milliseconds(max(0, deadline - now()))) { loop.value.ring(deadline) }
    }

    /// For good.
    func cancel() { onTime = nil }

    private func ring(_ deadline: MonotonicTime) {
        guard deadline == time else { return }
        time = MonotonicTime(milliseconds: .max)
        onTime?()
    }
}
