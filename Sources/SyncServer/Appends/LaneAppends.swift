import EventStore
import FocusCore

/// The append frames of a lane's devices.
///
/// Flow: a frame waits for the next statement → it is judged and staged; or it waits, for its user to be loaded, or
/// with its session until the log was asked what stands at its places, and comes back. The frames of a session keep their
/// order, and so do their answers (rule P6).
final class LaneAppends {
    /// How many frames that find no room make the next one rest for a millisecond: to ask a frame takes about 8 µs, so
    /// that asking takes a twentieth of the lane's time.
    private static let heldBackPerMillisecond: Int64 = 3
    /// Such rests end together, as many as fall into so many milliseconds: to look for those that have ended takes time
    /// too.
    private static let restStep: Int64 = 16

    private var queue = AppendQueue()
    private let context: LaneContext
    private let judge: AppendJudge
    private let quotas: AppendQuotas
    private let placeFinder: any LanePlaceFinder
    private let head: (Partition) -> PartitionHead
    /// How many frames the statements of the last turn that had some answered.
    private var lastAnswered = 0
    private let recent: RecentWork
    private var pace: BulkPace
    /// When the last statement was answered.
    private var lastEnd = MonotonicTime(milliseconds: .min)
    /// How many frames found no room in the statement.
    private var heldBack: Int64 = 0
    /// For whom bulk makes room, and whether it does.
    private var (quiet, makesRoom) = (QuietUsers(), false)

    /// - Parameter head: gives a partition's head as the lane knows it.
    init(
        _ context: LaneContext, _ placeFinder: any LanePlaceFinder, head: @escaping (Partition) -> PartitionHead
    ) {
        (self.context, self.placeFinder, self.head) = (context, placeFinder, head)
        quotas = AppendQuotas(context.configuration)
        recent = RecentWork(context.configuration)
        pace = BulkPace(context.configuration)
        judge = AppendJudge(
            log: context.log.log, receiptKey: context.receiptKey, clock: context.clock, format: context.format,
            userBytes: context.configuration.userBytes, quotas: quotas,
            quarantineMilliseconds: context.configuration.quarantineMilliseconds)
    }

    /// Whether no frame can be staged now.
    var isEmpty: Bool { queue.isEmpty }
    /// How many frames wait for a statement.
    var count: Int { queue.count }
    /// The users whose frames wait for them to be loaded.
    var awaitingLoad: some Collection<UserID> { queue.awaited }
    /// The sessions whose frames wait for a statement, each once and in no order.
    var sessions: some Sequence<UInt64> { queue.sessions }
    /// How many more frames are likely to come in a moment: devices that the last turn answered tend to send their
    /// next frames at about the same time.
    var expected: Int { max(0, lastAnswered - queue.count) }

    /// How much work of whom the next statement carries.
    var bounds: WorkBounds {
        let (configuration, recent, now) = (context.configuration, recent, context.clock.monotonic())
        return WorkBounds(
            ofUser: configuration.workPerUser, ofStatement: configuration.workPerStatement,
            ofLightUser: { recent.rest(of: $0, now: now) },
            ofHeavyUsers: now >= quiet.end ? .max : now < pace.restsUntil ? 0 : configuration.workBesideLight,
            ofDearEvent: configuration.workOfDearEvent)
    }

    func enqueue(_ frame: PendingAppend) { queue.enqueue(frame) }

    /// Puts frames that were taken out back before all others of their sessions, in their order.
    func putBack(_ frames: [PendingAppend]) { queue.putBack(frames) }

    /// When frames go on that wait because their device rests or is held back; nil when none do.
    var nextRestEnds: MonotonicTime? {
        guard makesRoom, let next = queue.nextRestEnds else { return queue.nextRestEnds }
        return min(next, max(quiet.end, context.clock.monotonic()))
    }

    /// Lets the frames go on whose devices have rested; those of bulk too when nobody is left for whom it makes room.
    func endRests() {
        let now = context.clock.monotonic()
        if makesRoom, now >= quiet.end {
            makesRoom = false
            queue.endHolds(now: now)
        }
        queue.endRests(now: now)
    }

    func removeAll() -> [PendingAppend] { queue.removeAll() }

    /// Lets the frames go on whose users were waited for.
    /// - Parameter isAwaiting: whether the user is still to be loaded.
    func endWaits(_ isAwaiting: (UserID) -> Bool) { queue.endWaits(isAwaiting) }

    /// Removes frames that wait, because nothing can be appended now.
    /// - Parameters:
    ///   - reason: for people.
    ///   - mayGo: whether the frames of a session may be answered now.
    /// - Returns: their answers: the devices are to send again.
    func withdraw(because reason: String, where mayGo: (UInt64) -> Bool = { _ in true }) -> [AppendStaging.Answer] {
        queue.remove { mayGo($0.session) }.map { AppendStaging.Answer(withdrawing: $0, because: reason) }
    }

    /// The same for all frames, but those of a session join what it has looked up: its answers keep their order (rule
    /// P6).
    func withdraw(because reason: String, of session: (UInt64) -> LaneSession?) -> [AppendStaging.Answer] {
        queue.remove { _ in true }.compactMap { frame in
            guard let owner = session(frame.session), !owner.looksUp.isEmpty else {
                return AppendStaging.Answer(withdrawing: frame, because: reason)
            }
            owner.looksUp.append(frame)
            return nil
        }
    }

    /// The last sequence of the session's own appends that wait here for their answer; zero when there are none.
    func last(of session: LaneSession) -> DeviceSequence {
        (session.looksUp + queue.frames(of: session.handle.id))
            .filter { $0.request.healing == nil }
            .map { $0.request.firstSequence.advanced(by: $0.request.events.count - 1) }.max() ?? .zero
    }

    /// Counts what devices appended, as it is committed now.
    func committed(_ uses: [QuotaKey: AppendUse]) { quotas.use(uses, now: context.clock.monotonic()) }

    // MARK: Staging

    /// Stages the frames that wait, as long as the statement has room. Those of users and devices for whom less was done
    /// come first (`AppendQueue`), and each is charged for what is done for it. A frame whose user is to be loaded first waits
    /// for them; one whose partition the statement is not for is postponed; one of a quarantined user is answered with
    /// an error.
    /// - Parameters:
    ///   - session: finds a session by its connection; nil when it has ended: the frame is dropped.
    ///   - connected: gives the devices of a user that have sessions on this server.
    ///   - foldFailed: called with each user whose fold failed: their state cannot be used any more.
    func stage(
        into staging: inout AppendStaging, _ users: some UserDirectory, session: (UInt64) -> LaneSession?,
        connected: (UserID) -> Set<DeviceID>, foldFailed: (UserID, any Error) -> Void
    ) {
        for dropped in queue.place({ session($0)?.identity }) { context.budget.release(dropped.request.charge) }
        staging.beginFrames()
        heldBack = 0
        while staging.hasRoom(context.configuration), let frame = queue.next() {
            guard let session = session(frame.session) else {
                context.budget.release(frame.request.charge)
                queue.settle(frame, .done, work: 0)
                continue
            }
            let before = staging.charged
            let step = stage(frame, of: session, users, into: &staging, connected, foldFailed)
            let dear = staging.takeDear()
            if dear > 0 {
                let pause = min(context.configuration.restMilliseconds, Int64(clamping: dear / Work.perRestMillisecond))
                let end = context.clock.monotonic().adding(milliseconds: pause)
                queue.rest(session.identity.user, session.identity.device, until: end)
            }
            queue.settle(frame, step, work: staging.charged - before + step.work)
        }
        queue.putBackPostponed()
        // A turn's statement for locked partitions follows that for all others.
        lastAnswered = staging.answers.count + (staging.isLocked ? lastAnswered : 0)
    }

    /// Records that a statement was committed and answered.
    /// - Parameter busySince: when the lane last paused before it.
    func ended(_ staging: AppendStaging, busySince: MonotonicTime) {
        guard !staging.users.isEmpty else { return }
        let now = context.clock.monotonic()
        let began = max(busySince, lastEnd)
        lastEnd = now
        recent.use(staging.users, now: now)
        if staging.heavyWork > 0 || began < quiet.end {
            let end = now.adding(milliseconds: context.configuration.lightMilliseconds)
            for user in staging.users where user.isLight && recent.isQuiet(user.id, now: now) {
                quiet.insert(user.id, until: end)
                makesRoom = true
            }
        }
        if began < quiet.end { pace.ended(milliseconds: now - began, hasBulk: staging.heavyWork > 0, now: now) }
    }

    private func stage(
        _ frame: PendingAppend, of session: LaneSession, _ users: some UserDirectory,
        into staging: inout AppendStaging, _ connected: (UserID) -> Set<DeviceID>,
        _ foldFailed: (UserID, any Error) -> Void
    ) -> AppendQueue.Step {
        guard session.looksUp.isEmpty else { return .joins(session, work: Work.frame) }
        let (id, now) = (session.identity.user, context.clock.monotonic())
        guard !users.isAwaitingLoad(id) else { return .awaits(id) }
        guard let user = users[id] else {
            let error = ProtocolError.userQuarantined(milliseconds: users.quarantineRest(of: id, now: now))
            let partition = context.log.partition(of: id)
            staging.answers.append(AppendStaging.Answer(append: frame, partition: partition, error: error))
            return .done
        }
        guard staging.carries(user.partition) else { return .postponed }
        // A frame of which only the answer is missing needs no room.
        guard staging.hasRoomForWork(of: id) || frame.isTaken && !staging.isUnfolded(id) else {
            holdBack(session.identity, until: staging.asksForMuch(id) ? restEnds(of: id, now: now) : now)
            return .postponed
        }
        if frame.progress != nil { staging.markPartial(id) }
        user.lastUsed = now.milliseconds
        let connected = frame.request.revokesDevices ? connected(id) : []
        switch judge.judge(frame, of: session, user, connected: connected, into: &staging) {
        case .staged: return .done
        case .begun:
            staging.markPartial(id)
            return .begun
        case .foldFailed(let error):
            foldFailed(id, error)
            return .done
        case .needsPlaces(let places, let incarnation):
            let question = PlaceQuestion(
                places, of: incarnation, session.identity.device, user, head(user.partition))
            placeFinder.post(question, session: session.handle.id)
            return .joins(session, work: question.work)
        case .postponed: return .postponed
        }
    }

    /// Until when a user who asks for much is held back, so that the machine has time for others.
    private func restEnds(of user: UserID, now: MonotonicTime) -> MonotonicTime {
        guard now < quiet.end, now < pace.restsUntil else { return now }
        // A burst of whoever is quiet goes on at the pace of those who ask for little.
        let flowsBack = now.adding(milliseconds: context.configuration.lightWorkMilliseconds)
        guard !recent.isQuiet(user, now: now) else { return min(pace.restsUntil, flowsBack) }
        quiet.remove(user)
        return pace.restsUntil
    }

    /// Has the device of a frame that found no room rest, until `end` or longer. To ask thousands of such frames in every
    /// statement takes time, for which everybody else waits: each rests the longer, the more were asked before it.
    private func holdBack(_ identity: Identity, until end: MonotonicTime) {
        let now = context.clock.monotonic()
        let rest = min(heldBack / Self.heldBackPerMillisecond, context.configuration.bulkRestMilliseconds)
        heldBack += 1
        let time = now.adding(milliseconds: rest).milliseconds
        let end = max(end, MonotonicTime(milliseconds: time - time % Self.restStep))
        if end > now { queue.hold(identity.user, identity.device, until: end) }
    }
}

extension PlaceQuestion {
    /// - Parameter head: the head of the user's partition, as the lane knows it.
    fileprivate init(
        _ places: ClosedRange<DeviceSequence>, of incarnation: Incarnation, _ device: DeviceID, _ user: CachedUser,
        _ head: PartitionHead
    ) {
        self.init(
            user: user.id, version: user.state.version, partition: user.partition, generation: head.generation,
            device: device,
            incarnation: incarnation, places: places,
            known: user.state.placeRuns(of: device, incarnation: incarnation, places), anchor: head.anchor)
    }
}

extension AppendQueue.Step {
    /// The work of dealing with a frame, beside that for its events, in units of `Work`.
    fileprivate var work: Int {
        switch self {
        case .done, .begun: Work.frame
        case .joins(_, let work): work
        // It was not its turn.
        case .postponed, .awaits: 0
        }
    }
}
