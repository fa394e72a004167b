import FocusCore
import NIOCore

/// Wakes a connection at one moment at a time; confined to its event loop.
///
/// Timers ring on a grid: so the event loop wakes once for all that are due about then, where ten thousand idle
/// connections would wake it some four hundred times a second (rule L4).
///
/// A scheduled task is never cancelled, only ignored when its time comes. To cancel one, NIO searches all tasks of the
/// event loop: ten thousand devices that leave at once would hold everybody up for ten thousand such searches (rule
/// L5).
final class DeadlineTimer {
    /// How late a timer may ring, in nanoseconds.
    private static let grid: UInt64 = 100_000_000

    private let eventLoop: any EventLoop
    private var onTime: (() -> Void)?
    private var time = MonotonicTime(milliseconds: .max)

    init(on eventLoop: any EventLoop, onTime: @escaping () -> Void) {
        self.eventLoop = eventLoop
        self.onTime = onTime
    }

    /// Makes the timer ring at `deadline` or up to 100 ms later, unless it is set to an earlier moment: then it rings
    /// at that one, and is to be set again.
    func set(for deadline: MonotonicTime, now: @autoclosure () -> MonotonicTime) {
        guard onTime != nil, deadline < time else { return }
        time = deadline
        let loop = NIOLoopBound(self, eventLoop: eventLoop)
        let exact = eventLoop.now + .milliseconds(max(0, deadline - now()))
        eventLoop.scheduleTask(deadline: exact.roundedUp(to: Self.grid)) { loop.value.ring(deadline) }
    }

    /// Keeps the timer from ever ringing again.
    func cancel() { onTime = nil }

    private func ring(_ deadline: MonotonicTime) {
        guard deadline == time else { return }
        time = MonotonicTime(milliseconds: .max)
        onTime?()
    }
}

extension NIODeadline {
    fileprivate func roundedUp(to grid: UInt64) -> NIODeadline {
        let (places, rest) = uptimeNanoseconds.quotientAndRemainder(dividingBy: grid)
        return rest == 0 ? self : .uptimeNanoseconds((places + 1) * grid)
    }
}
