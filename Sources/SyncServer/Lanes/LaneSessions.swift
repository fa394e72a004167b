import EventStore
import FocusCore
import FocusWire
import Logging

/// The sessions of a lane: admits them, decides what each is sent and when, and ends them.
///
/// Flow: a Hello waits until its user is in memory → the session opens → rows go out as they change and as its quota
/// has room → checkpoints follow. `UserNews` tells it what becomes of the lane's users.
final class LaneSessions {
    var open = OpenSessions()
    var plan = DeliveryPlan()
    /// How many large pages the turn may still send.
    var pages: Int
    /// The user whose rows are hashed for a checkpoint, of whom some are left for the next turn: who is loaded anew has
    /// none hashed.
    var halfHashed: HalfHashed?
    /// Connections that hold news until the heads are confirmed.
    private var unconfirmed: [SessionHandle] = []
    /// Connections of revoked devices that are not answered yet, each with the partition of its user.
    var revoked: [(handle: SessionHandle, partition: Partition)] = []
    let context: LaneContext
    let deliveries: DeliveryBatch
    /// Gives the time at which the heads were last confirmed (`PartitionTails.confirmedAt`).
    let confirmedAt: () -> MonotonicTime
    /// Gives the last sequence of a session's appends that wait for their answer; zero when there are none.
    let lastWaiting: (LaneSession) -> DeviceSequence
    private let didEnd: (UInt64) -> Void

    var now: MonotonicTime { context.clock.monotonic() }

    /// - Parameter didEnd: called with each connection whose session ends, or that is closed.
    init(
        _ context: LaneContext, _ deliveries: DeliveryBatch, confirmedAt: @escaping () -> MonotonicTime,
        lastWaiting: @escaping (LaneSession) -> DeviceSequence, didEnd: @escaping (UInt64) -> Void
    ) {
        (self.context, self.deliveries, self.confirmedAt) = (context, deliveries, confirmedAt)
        (self.lastWaiting, self.didEnd) = (lastWaiting, didEnd)
        pages = context.configuration.pagesPerTurn
    }

    subscript(id: UInt64) -> LaneSession? { open[id] }

    /// Whether rows may be sent now (`LaneContext.isFresh`).
    var isFresh: Bool { context.isFresh(since: confirmedAt()) }

    /// When a connection is to be admitted, or a session to be sent something; nil when neither is planned. While no rows
    /// may be sent, that is asked again after a fifth of a poll's time: the lane would go round and round otherwise.
    /// - Parameter isLoading: whether what needs a user waits for the loader, whose answer begins another turn.
    func nextDeadline(_ isLoading: (UserID) -> Bool) -> MonotonicTime? {
        guard open.waiting.allSatisfy({ isLoading($0.opening.identity.user) }) else { return now }
        let dates = [plan.nextRows(now: now, isLoading), plan.nextCheckpoint]
        guard let planned = dates.compactMap(\.self).min() else { return nil }
        let retry = context.configuration.pollMilliseconds / 5
        return isFresh ? planned : max(planned, now.adding(milliseconds: retry))
    }

    /// The users whose sessions rows are to be sent to, while that is allowed.
    var neededUsers: Set<UserID> { isFresh ? plan.users.filter(open.hasSessions) : [] }

    // MARK: Requests

    func enqueue(_ handle: SessionHandle, _ opening: SessionOpening) {
        open.enqueue(OpenSessions.Waiting(handle: handle, opening: opening, needsLoad: !mayBeCurrent(opening)))
    }

    /// Has rows sent to the user's sessions as soon as that can be, and does not rely any more on what they were
    /// admitted with.
    /// - Parameter since: when the lane heard of what they tell; nil: now.
    func awaitRows(_ user: UserID, since: PreciseTime? = nil) {
        for session in open.sessions(of: user) { session.knownDigests = nil }
        plan.awaitRows(user, now: since ?? deliveries.meter.now)
    }

    func confirm(_ handle: SessionHandle) { unconfirmed.append(handle) }

    /// Tells the connections that hold news that the heads are confirmed. What was seen on the way, that a device was
    /// revoked for one, was told before.
    func confirmWaiting() {
        guard !unconfirmed.isEmpty, isFresh else { return }
        for handle in unconfirmed { deliveries.add(.confirmed, to: handle) }
        unconfirmed = []
    }

    /// Sends the session more rows, as its device took what was queued.
    func resume(_ id: UInt64) {
        if let user = open[id]?.identity.user { awaitRows(user) }
    }

    /// Sends the collections afresh; an empty list means all (rule S9).
    func resync(_ id: UInt64, _ collections: [RowCollection]) {
        guard let session = open[id] else { return }
        session.subscription.resync(collections)
        awaitCheckpoint(session, isCurrent: false)
        awaitRows(session.identity.user)
    }

    /// Forgets a connection that is closed.
    func closed(_ id: UInt64) {
        unconfirmed.removeAll { $0.id == id }
        remove(id)
        open.closed(id)
    }

    /// Ends the connection's session, if it has one, and gives the bytes of its waiting frames back to the budget.
    private func remove(_ id: UInt64) {
        didEnd(id)
        plan.closed(id)
        guard let session = open.remove(id) else { return }
        for frame in session.looksUp { context.budget.release(frame.request.charge) }
    }

    /// Ends the session: its device is told to go, behind everything that waits for it.
    func end(_ session: LaneSession, _ code: ErrorCode) {
        deliveries.add(.goAway(code), to: session.handle)
        remove(session.handle.id)
        open.leaves(session)
    }

    /// Ends all sessions: their devices are to connect anew.
    func endAll(_ code: ErrorCode) {
        for session in open.all { end(session, code) }
        plan = DeliveryPlan()
    }

    /// Ends the session of a revoked device: nothing that waits for the device may reach it (rule A3).
    func cutOff(_ session: LaneSession) {
        deliveries.cutOff(session.handle)
        remove(session.handle.id)
    }

    // MARK: Users

    func hear(_ news: UserNews) {
        switch news {
        case .changed(let user), .left(let user): if open.hasSessions(of: user) { awaitRows(user) }
        case .caughtUp(let user): closeInvalidSessions(user)
        case .missed(let event): reviewAbsent(event)
        case .missedRevocation(let user): cutOffAll(user)
        case .forgetsRevocations(let user): cutOffRevoked(user)
        case .visibilityChanged: break
        }
    }

    /// Sends rows to the sessions of users whose rows may differ in the generation that is shown now, whether the users
    /// are in memory or not.
    func rowsMayDiffer(_ isChanged: (UserID) -> Bool) {
        for user in open.users where isChanged(user) { awaitRows(user) }
    }
}
