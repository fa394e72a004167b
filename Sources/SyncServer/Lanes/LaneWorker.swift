import DequeModule
import EventStore
import FocusCore
import Logging
import Waits

/// The lane's thread: everything here is confined to it. The parts know nothing of each other; what one of them has to
/// tell reaches the others by the calls that are wired here.
///
/// Flow of a turn: requests → what is new in the log → users who are needed → sessions let in → one statement with what
/// devices append and what is due → rows, answers, statuses, checkpoints → a batch for the read model.
final class LaneWorker {
    let context: LaneContext
    let deliveries = DeliveryBatch()
    let log: LaneLog
    let users: LaneUsers
    let sessions: LaneSessions
    let watchers: LaneWatchers
    let appends: LaneAppends
    let mailbox: Mailbox<LaneRequest>
    private let fetches: LaneFetches
    private let helpers: LaneHelpers
    /// What the projector reports, until the lane takes it up.
    private var reports: Deque<(Partition, ProjectionReport)> = []
    private var hasBegun = false
    private var isStopped = false

    var configuration: LaneConfiguration { context.configuration }
    var now: MonotonicTime { context.clock.monotonic() }

    init(
        context: LaneContext, index: Int, partitions: [Partition], mailbox: Mailbox<LaneRequest>, store: any LaneStore,
        helpers: LaneHelpers
    ) {
        (self.context, self.mailbox, self.helpers) = (context, mailbox, helpers)
        let tails = PartitionTails(partitions) { context.freshness.confirm(lane: index, at: $0) }
        let appends = LaneAppends(context, helpers.placeFinder) { tails[$0] }
        let watchers = LaneWatchers(context, deliveries)
        let sessions = LaneSessions(
            context, deliveries, confirmedAt: { tails.confirmedAt }, lastWaiting: { appends.last(of: $0) },
            didEnd: { watchers.close($0) })
        let users = LaneUsers(context, partitions) { news in
            sessions.hear(news)
            watchers.hear(news)
        }
        fetches = LaneFetches(helpers.fetcher, deliveries) { tails[$0].generation }
        // What is ready for devices leaves before the database is asked: it was made when the heads were fresh, and must
        // not wait until they are not.
        log = LaneLog(context, tails, store, willAsk: { [deliveries] in deliveries.send() }) { news in
            users.hear(news)
            guard case .generationChanged(let head, let changed, _) = news else { return }
            let isChanged = { context.log.partition(of: $0) == head.partition && changed?.contains($0) ?? true }
            sessions.rowsMayDiffer(isChanged)
            watchers.changed(where: isChanged)
        }
        (self.appends, self.watchers, self.sessions, self.users) = (appends, watchers, sessions, users)
    }

    func run() {
        helpers.start()
        while !isStopped {
            do {
                try turn(taking: mailbox.take(until: nextDeadline()))
            } catch is StoreStopped {
                // The database is away and the server is to end: nothing that waits was acknowledged.
                isStopped = true
            } catch {
                recover(from: error)
                Deadline.after(seconds: 0.25).sleep()
            }
        }
        deliveries.send()
        helpers.stop()
        log.close()
    }

    /// The database answered with an error that trying again at once would not mend (disk full, say). States may hold what
    /// was not committed: all are loaded again. Requests wait; their devices see that nothing is acknowledged.
    func recover(from error: any Error) {
        context.logger.critical("lane failed", metadata: ["error": "\(error)"])
        if error is LogTruncated { startOver() }
        users.forgetAll()
        log.close()
    }

    /// As after a restart: everybody connects anew, and is asked for what the log lacks (rule S6). Nothing that was folded
    /// from the history that is gone stays.
    private func startOver() {
        sessions.endAll(.shuttingDown)
        for frame in appends.removeAll() { context.budget.give(frame.request.bytes) }
        fetches.removeAll()
        (reports, hasBegun) = ([], false)
        users.startOver()
        log.tails.forget()
        watchers.changed { _ in true }
    }

    /// One round: everything that was asked for, and whatever is due. Waits for nothing but the database.
    func turn(taking requests: [LaneRequest]) throws {
        take(requests)
        if !hasBegun {
            try log.begin()
            hasBegun = true
        }
        try takeReports()
        users.endQuarantines()
        try log.confirmHeads()
        try loadNeededUsers()
        try catchUpWithCursors()
        sessions.admit(users, event: log.event)
        try appendWaiting()
        sessions.sendAwaited(users)
        answerFetches()
        watchers.tell(users)
        sessions.sendCheckpoints(users)
        try project()
        users.evict()
        deliveries.send()
    }

    func take(_ requests: [LaneRequest]) {
        for request in requests {
            if request.cost > 0 { context.budget.give(request.cost) }
            switch request {
            case .open(let handle, let opening):
                sessions.enqueue(handle, opening)
                // The device may come from another server, and know more of the log than this one (rules P2, P7).
                log.tails.mayHaveMoved = true
            case .append(let session, let append): appends.enqueue(PendingAppend(session: session, request: append))
            case .resume(let session):
                sessions.resume(session)
                watchers.resume(session)
            case .resync(let session, let collections): sessions.resync(session, collections)
            case .watch(let handle, let viewer, let users): watchers.watch(handle, viewer, users)
            case .unwatch(let session, let users): watchers.unwatch(session, users)
            case .close(let session): sessions.closed(session)
            case .fetch(let session, let request): fetches.enqueue(PendingFetch(session: session, request: request))
            case .fetched(let found): fetches.enqueue(found)
            case .placesFound(let session, let found): appends.putBack(sessions.placesFound(session, found))
            case .projected(let partition, let report): reports.append((partition, report))
            case .headsMayHaveMoved: log.tails.mayHaveMoved = true
            case .stop: isStopped = true
            }
        }
    }

    /// Nobody waits while there is work; else until the next look at the heads, or whatever a part has to do.
    private func nextDeadline() -> Deadline {
        guard appends.isEmpty, !sessions.hasWork, reports.isEmpty else { return .passed }
        let poll = log.tails.confirmedAt.adding(milliseconds: configuration.pollMilliseconds)
        let next = min(poll, users.nextDeadline, watchers.nextDeadline, sessions.nextCheckpoint ?? poll)
        return .after(seconds: Double(max(0, next - now)) / 1_000)
    }

    // MARK: Users

    /// Loads, a batch in one statement, the users who are needed and are not in memory.
    func loadNeededUsers() throws {
        var needed = sessions.neededUsers.union(watchers.dequeueAwaitingLoad())
        for id in Array(appends.sessions) + fetches.sessions {
            if let session = sessions[id] { needed.insert(session.identity.user) }
        }
        try load(needed)
    }

    /// Afterwards each of them is in memory or quarantined.
    func load(_ ids: Set<UserID>) throws {
        // Another generation, found with the last of them, sends away those who came from the one before.
        for _ in 0..<3 {
            let missing = users.resident.awaitingLoad(ids)
            guard !missing.isEmpty else { return }
            try log.load(missing)
        }
    }

    private func catchUpWithCursors() throws {
        let partitions = sessions.partitionsBehindCursors(users)
        guard !partitions.isEmpty else { return }
        for partition in partitions.sorted() { try log.catchUp(partition) }
        try loadNeededUsers()
    }

    // MARK: What helpers do

    private func answerFetches() {
        // Like rows: a server that has not confirmed its heads does not know who may read what.
        guard sessions.isFresh else { return }
        for session in fetches.answer(users, now: now, session: { sessions[$0] }) { sessions.resume(session.handle.id) }
    }

    /// Hands the projector what changed since the last time in the partition that has been due longest. One a turn:
    /// appends do not wait for all of them.
    private func project() throws {
        guard let (partition, missing) = users.dueProjection() else { return }
        try load(missing)
        guard let (batch, report) = users.makeBatch(log.tails[partition], log.tails.timeline) else { return }
        helpers.projector.post(batch, report)
    }

    /// One that fails is taken up again: nobody else would say that the partition's projector is free.
    private func takeReports() throws {
        while let (partition, report) = reports.first {
            if let checkpoint = users.projected(report, log.tails[partition]) {
                try log.checkpointRegressed(partition, to: checkpoint)
            }
            reports.removeFirst()
        }
    }
}
