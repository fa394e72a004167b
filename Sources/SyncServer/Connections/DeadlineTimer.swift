import FocusCore
import NIOCore

/// Wakes a connection at one moment at a time; confined to its event loop.
///
/// Timers ring on a grid: so the event loop wakes once for all that are due about then, where ten thousand idle
/// connections would wake it some four hundred times a second (rule L4).
///
/// A callback is never cancelled, only ignored when its time comes. To cancel one, NIO searches all tasks of the event
/// loop: ten thousand devices that leave at once would hold everybody up for ten thousand such searches (rule
/// L5).
final class DeadlineTimer {
    /// How late a timer may ring, in nanoseconds.
    private static let grid: UInt64 = 100_000_000

    private let eventLoop: any EventLoop
    private var onTime: (() -> Void)?
    private var time = MonotonicTime(milliseconds: .max)
    /// When the event loop calls for `time`.
    private var rings = NIODeadline.distantFuture

    init(on eventLoop: any EventLoop, onTime: @escaping () -> Void) {
        self.eventLoop = eventLoop
        self.onTime = onTime
    }

    /// Makes the timer ring at `deadline` or up to 100 ms later, unless it is set to an earlier moment: then it rings
    /// at that one, and is to be set again.
    func set(for deadline: MonotonicTime, now: @autoclosure () -> MonotonicTime) {
        guard onTime != nil, deadline < time else { return }
        time = deadline
        rings = (eventLoop.now + .milliseconds(max(0, deadline - now()))).roundedUp(to: Self.grid)
        let call = TimerCall(timer: NIOLoopBound(self, eventLoop: eventLoop))
        // Refused by an event loop that has ended, where nothing is to ring. A callback and not a task: a task makes a
        // future, which takes 200 bytes for each connection.
        _ = try? eventLoop.scheduleCallback(at: rings, handler: call)
    }

    /// Keeps the timer from ever ringing again.
    func cancel() { onTime = nil }

    /// The event loop may also call for a deadline that an earlier one has replaced.
    fileprivate func ring() {
        guard eventLoop.now >= rings else { return }
        (time, rings) = (MonotonicTime(milliseconds: .max), .distantFuture)
        onTime?()
    }
}

/// What the event loop calls for a timer.
private struct TimerCall: NIOScheduledCallbackHandler, Sendable {
    let timer: NIOLoopBound<DeadlineTimer>

    func handleScheduledCallback(eventLoop: some EventLoop) { timer.value.ring() }
}

extension NIODeadline {
    fileprivate func roundedUp(to grid: UInt64) -> NIODeadline {
        let (places, rest) = uptimeNanoseconds.quotientAndRemainder(dividingBy: grid)
        return rest == 0 ? self : .uptimeNanoseconds((places + 1) * grid)
    }
}
