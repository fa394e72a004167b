import EventStore
import FocusCore
import FocusWire
import Logging

/// The sessions of a lane: who is let in, what each is sent and when, and who has to go.
///
/// Flow: a Hello waits until its user is in memory → the session opens → rows go out as it has room, and when they change
/// → checkpoints follow. What becomes of the lane's users it hears as `UserNews`.
final class LaneSessions {
    var open = OpenSessions()
    var plan = DeliveryPlan()
    let context: LaneContext
    let deliveries: DeliveryBatch
    /// When the heads were confirmed, the last time.
    let confirmedAt: () -> MonotonicTime
    /// The last sequence of what a session appended and has no answer for.
    let lastWaiting: (LaneSession) -> DeviceSequence
    private let didEnd: (UInt64) -> Void

    var now: MonotonicTime { context.clock.monotonic() }

    /// - Parameter didEnd: called with the connections whose sessions end.
    init(
        _ context: LaneContext, _ deliveries: DeliveryBatch, confirmedAt: @escaping () -> MonotonicTime,
        lastWaiting: @escaping (LaneSession) -> DeviceSequence, didEnd: @escaping (UInt64) -> Void
    ) {
        (self.context, self.deliveries, self.confirmedAt) = (context, deliveries, confirmedAt)
        (self.lastWaiting, self.didEnd) = (lastWaiting, didEnd)
    }

    subscript(id: UInt64) -> LaneSession? { open[id] }

    /// Whether rows may be sent: a server that has not confirmed its heads lately sends none.
    var isFresh: Bool { context.isFresh(since: confirmedAt()) }
    /// When a checkpoint is due; nil: none is planned.
    var nextCheckpoint: MonotonicTime? { plan.nextCheckpoint }
    /// Somebody asks to be let in, or awaits rows.
    var hasWork: Bool { !open.waiting.isEmpty || !plan.users.isEmpty }

    /// Users who have to be in memory for what is to be told.
    var neededUsers: Set<UserID> {
        let openings = open.waiting.lazy.map(\.opening.identity.user)
        return isFresh ? Set(openings).union(plan.users.filter(open.hasSessions)) : Set(openings)
    }

    // MARK: Requests

    func enqueue(_ handle: SessionHandle, _ opening: SessionOpening) { open.enqueue(handle, opening) }

    /// The device took what was queued.
    func resume(_ id: UInt64) {
        if let user = open[id]?.identity.user { plan.awaitRows(user) }
    }

    /// Sends the collections afresh; none: all (rule S9).
    func resync(_ id: UInt64, _ collections: [RowCollection]) {
        guard let session = open[id] else { return }
        session.subscription.resync(collections)
        awaitCheckpoint(session)
        plan.awaitRows(session.identity.user)
    }

    /// The connection is closed.
    func closed(_ id: UInt64) {
        remove(id)
        open.closed(id)
    }

    private func remove(_ id: UInt64) {
        didEnd(id)
        plan.closed(id)
        guard let session = open.remove(id) else { return }
        for frame in session.looksUp { context.budget.give(frame.request.bytes) }
    }

    /// Tells the device to go, behind all that waits for it.
    func end(_ session: LaneSession, _ code: ErrorCode) {
        deliveries.add(.goAway(code), to: session.handle)
        remove(session.handle.id)
        open.leaves(session)
    }

    /// Everybody is to connect anew.
    func endAll(_ code: ErrorCode) {
        for session in open.all { end(session, code) }
        plan = DeliveryPlan()
    }

    /// Tells the device to go, and takes back what waits for it (rule A3).
    func cutOff(_ session: LaneSession) {
        let id = session.handle.id
        context.logger.info(
            "revoked device cut off", metadata: ["user": "\(session.identity.user)", "session": "\(id)"])
        deliveries.cutOff(session.handle)
        remove(id)
    }

    // MARK: Users

    func hear(_ news: UserNews) {
        switch news {
        case .changed(let user), .left(let user): if open.hasSessions(of: user) { plan.awaitRows(user) }
        case .caughtUp(let user): review(user)
        case .missed(let event): reviewAbsent(event)
        case .visibilityChanged: break
        }
    }

    /// Another generation of the read model is shown. Also those who are not in memory: their rows may have changed.
    func rowsMayDiffer(_ isChanged: (UserID) -> Bool) {
        for user in open.users where isChanged(user) { plan.awaitRows(user) }
    }
}
