import FocusCore
import NIOCore

/// What happens when nothing comes: the session's deadlines, and the alarm for a slow device.
extension SessionHandler {
    /// Runs code that only reads the session. A call on the property would copy the session first.
    private func reading<Result>(_ body: (inout Session) -> Result) -> Result { body(&session) }

    /// Has the log tell of a device that takes none of its rows, if some wait after a flush. Sets one alarm, whatever
    /// the log wants to know: a server's steps do not depend on that.
    func watchPace() {
        let limit = ConnectionJournal.slowMilliseconds
        guard slowAlarm == nil, journal.isOpen, let context, let end = reading({ $0.rowsStall(after: limit) }) else {
            return
        }
        let left = end - services.clock.monotonic()
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        slowAlarm = context.eventLoop.scheduleTask(in: .milliseconds(left > 0 ? left : limit)) {
            loop.value.reviewPace()
        }
    }

    private func reviewPace() {
        slowAlarm = nil
        if let end = session.rowsStall(after: ConnectionJournal.slowMilliseconds),
            services.clock.monotonic() >= end
        {
            journal.isSlow(since: end, queued: quota.queuedBytes)
        }
        watchPace()
    }

    /// Sets the timer to the session's deadline. A deadline that moved later needs nothing until the timer rings, so
    /// most frames do not touch the timer.
    func schedule() {
        guard context != nil, !session.isClosed else { return }
        timer?.set(for: reading { $0.deadline }, now: services.clock.monotonic())
    }

    func tick() {
        perform(session.tick(now: services.clock.monotonic(), serverTime: services.clock.wall()))
        context?.flush()
        schedule()
    }
}
