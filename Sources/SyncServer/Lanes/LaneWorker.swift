import DequeModule
import EventStore
import FocusCore
import Logging
import Waits

/// A lane's loop; it and all its parts are confined to the lane's thread. The parts do not know each other: what one
/// has to tell reaches the others through the calls that are wired here.
///
/// Flow of a turn: requests → news of the log → loads of the users who are needed → admissions → one statement with
/// what devices append and what is due → rows, answers, statuses, checkpoints → a batch for the read model.
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
    private let services: LaneServices
    /// The projector's reports that were not taken up yet.
    private var reports: Deque<(Partition, ProjectionReport)> = []
    /// Whether `LaneLog.begin` has succeeded since the start, or since the log was last found truncated.
    private var hasBegun = false
    private var isStopped = false

    var configuration: LaneConfiguration { context.configuration }
    var now: MonotonicTime { context.clock.monotonic() }

    init(
        context: LaneContext, index: Int, partitions: [Partition], mailbox: Mailbox<LaneRequest>, store: any LaneStore,
        services: LaneServices
    ) {
        (self.context, self.mailbox, self.services) = (context, mailbox, services)
        let tails = PartitionTails(partitions) { context.freshness.confirm(lane: index, at: $0) }
        let appends = LaneAppends(context, services.placeFinder) { tails[$0] }
        let watchers = LaneWatchers(context, deliveries)
        let sessions = LaneSessions(
            context, deliveries, confirmedAt: { tails.confirmedAt }, lastWaiting: { appends.last(of: $0) },
            didEnd: { watchers.close($0) })
        let users = LaneUsers(context, partitions) { news in
            sessions.hear(news)
            watchers.hear(news)
        }
        fetches = LaneFetches(services.fetcher, deliveries) { tails[$0].generation }
        // Deliveries leave before the database is asked, which may take long: they were made while the heads were
        // fresh, and must not leave when they no longer are.
        log = LaneLog(context, tails, store, willAsk: { [deliveries] in deliveries.send() }) { news in
            users.hear(news)
            guard case .generationChanged(let head, let changed, _) = news else { return }
            let isChanged = { context.log.partition(of: $0) == head.partition && changed?.contains($0) ?? true }
            sessions.rowsMayDiffer(isChanged)
            watchers.changed(where: isChanged)
        }
        (self.appends, self.watchers, self.sessions, self.users) = (appends, watchers, sessions, users)
    }

    /// Runs turn after turn until the lane is stopped.
    func run() {
        services.start()
        while !isStopped {
            do {
                try turn(taking: mailbox.receive(until: nextDeadline()))
            } catch is StoreStopped {
                // The database is away and the server is to stop. Nothing that still waits was acknowledged.
                isStopped = true
            } catch {
                recover(from: error)
                Deadline.after(seconds: 0.25).sleep()
            }
        }
        deliveries.send()
        services.stop()
        log.close()
    }

    /// Makes the lane fit for the next turn after one that threw: the database answered with an error that lasts, a
    /// full disk for example, or the log lost events. States may hold events that were not committed, so all are
    /// dropped and loaded again. Requests wait, and nothing is acknowledged.
    func recover(from error: any Error) {
        context.logger.critical("lane failed", metadata: ["error": "\(error)"])
        if error is LogTruncated { startOver() }
        users.forgetAll()
        log.close()
    }

    /// Begins as after a restart, because the log lost events: all devices connect anew, and bring back what it lacks
    /// (rule S6). Nothing stays that was folded from the events that are gone.
    private func startOver() {
        sessions.endAll(.shuttingDown)
        for frame in appends.removeAll() { context.budget.release(frame.request.bytes) }
        fetches.removeAll()
        (reports, hasBegun) = ([], false)
        users.startOver()
        log.tails.forget()
        watchers.changed { _ in true }
    }

    /// One turn: does everything that was asked for and everything that is due. Waits only for the database, and for a
    /// moment for more appends (`gather`).
    func turn(taking requests: [LaneRequest]) throws {
        dispatch(requests)
        if !hasBegun {
            try log.begin()
            hasBegun = true
        }
        try applyReports()
        users.endQuarantines()
        try log.confirmHeads()
        try loadNeededUsers()
        try catchUpWithCursors()
        sessions.admit(users, event: log.event)
        try appendWaiting()
        sessions.sendAwaited(users)
        for session in fetches.answer(users, isFresh: sessions.isFresh, now: now, session: { sessions[$0] }) {
            sessions.resume(session.handle.id)
        }
        watchers.sendStatuses(users)
        sessions.sendCheckpoints(users)
        try project()
        users.evict()
        deliveries.send()
    }

    /// Hands each request to the part that it concerns.
    func dispatch(_ requests: [LaneRequest]) {
        for request in requests {
            if request.cost > 0 { context.budget.release(request.cost) }
            switch request {
            case .open(let handle, let opening):
                sessions.enqueue(handle, opening)
                // The device may come from another server, where it saw more of the log than this lane knows (P2, P7).
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

    /// How long to wait for requests: not at all while there is work, and else until the next poll of the heads or
    /// until the next thing that a part has to do.
    private func nextDeadline() -> Deadline {
        guard appends.isEmpty, reports.isEmpty else { return .passed }
        let poll = log.tails.confirmedAt.adding(milliseconds: configuration.pollMilliseconds)
        let next = min(poll, users.nextDeadline, watchers.nextDeadline, sessions.nextDeadline ?? poll)
        return .after(seconds: Double(max(0, next - now)) / 1_000)
    }

    // MARK: Users

    /// Loads the users who are needed for what waits and who are not in memory.
    func loadNeededUsers() throws {
        var needed = sessions.neededUsers.union(watchers.dequeueAwaitingLoad())
        for id in Array(appends.sessions) + fetches.sessions {
            if let session = sessions[id] { needed.insert(session.identity.user) }
        }
        try load(needed)
    }

    /// Loads those of the users who are not in memory. Afterwards each is in memory or quarantined, unless the log
    /// changes so fast that three attempts do not suffice: the others stay to be loaded.
    func load(_ ids: Set<UserID>) throws {
        // A load may find events or a generation for which users are dropped again that were loaded before it.
        for _ in 0..<3 {
            let missing = users.resident.awaitingLoad(ids)
            guard !missing.isEmpty else { return }
            try log.load(missing)
        }
    }

    /// Catches up with commits of other servers that the cursors of waiting connections tell of.
    private func catchUpWithCursors() throws {
        let partitions = sessions.partitionsBehindCursors(users)
        guard !partitions.isEmpty else { return }
        for partition in partitions.sorted() { try log.catchUp(partition) }
        try loadNeededUsers()
    }

    // MARK: What services do

    /// Hands the projector one batch, if a partition is due. One in a turn, so that appends do not wait for all
    /// partitions.
    private func project() throws {
        guard let (partition, missing) = users.dueProjection() else { return }
        try load(missing)
        guard let (batch, report) = users.makeBatch(log.tails[partition], log.tails.timeline) else { return }
        services.projector.post(batch, report)
    }

    /// Takes up the projector's reports. A report stays in the queue until it was dealt with, because nothing else
    /// would say that the partition's batch is no longer under way.
    private func applyReports() throws {
        while let (partition, report) = reports.first {
            if let checkpoint = users.projected(report, log.tails[partition]) {
                try log.checkpointRegressed(partition, to: checkpoint)
            }
            reports.removeFirst()
        }
    }
}
