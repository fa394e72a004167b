import DequeModule
import EventStore
import FocusCore
import Logging
import Waits

/// The lane's thread: everything here is confined to it.
final class LaneWorker {
    let context: LaneContext
    let connection: any LaneStore
    let projector: any LaneProjector
    let mailbox: Mailbox<LaneRequest>
    let tails: PartitionTails
    var backlog: ProjectionBacklog
    var users = ResidentUsers()
    var sessions = OpenSessions()
    var appends: Deque<PendingAppend> = []
    /// Questions, and what was found for some.
    var fetches: [PendingFetch] = []
    let fetcher: any LaneFetcher
    let placeFinder: any LanePlaceFinder
    let judge: AppendJudge
    var plan = DeliveryPlan()
    var deliveries = DeliveryBatch()
    /// See `LaneWorker+Peers`.
    var peers = PeerWatchers()
    /// See `LaneWorker+Time`.
    var due = DueSchedule()
    /// Append frames that the last statement answered.
    var lastAnswered = 0
    /// What the projector reports, until the lane takes it up.
    private var reports: Deque<(Partition, ProjectionReport)> = []
    private var hasBegun = false
    private var isStopped = false

    var configuration: LaneConfiguration { context.configuration }

    /// The lane's way to the database. What is ready for devices leaves first: it was made when the heads were fresh,
    /// and must not wait for the database until they are not.
    var store: any LaneStore {
        deliveries.send()
        return connection
    }

    init(
        context: LaneContext, index: Int, partitions: [Partition], mailbox: Mailbox<LaneRequest>, store: any LaneStore,
        projector: any LaneProjector, fetcher: any LaneFetcher, placeFinder: any LanePlaceFinder
    ) {
        self.context = context
        self.mailbox = mailbox
        connection = store
        self.projector = projector
        self.fetcher = fetcher
        self.placeFinder = placeFinder
        judge = AppendJudge(
            log: context.log.log, receiptKey: context.receiptKey, clock: context.clock, format: context.format,
            quarantineMilliseconds: context.configuration.quarantineMilliseconds)
        tails = PartitionTails(partitions) { context.freshness.confirm(lane: index, at: $0) }
        backlog = ProjectionBacklog(partitions, now: context.clock.monotonic())
        store.anchors = { [tails] in tails.anchors }
    }

    func run() {
        projector.start()
        fetcher.start()
        placeFinder.start()
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
        projector.stop()
        fetcher.stop()
        placeFinder.stop()
        store.close()
    }

    /// The database answered with an error that trying again at once would not mend (disk full, say). States may hold what
    /// was not committed: all are loaded again. Requests wait; their devices see that nothing is acknowledged.
    func recover(from error: any Error) {
        context.logger.critical("lane failed", metadata: ["error": "\(error)"])
        if error is LogFellBack { startOver() }
        for user in users.all { forget(user.id) }
        store.close()
    }

    /// As after a restart: everybody connects anew, and is asked for what the log lacks (rule S6). Nothing that was folded
    /// from the history that is gone stays.
    private func startOver() {
        for session in sessions.all { end(session, .shuttingDown) }
        for append in appends { context.budget.give(append.request.bytes) }
        (appends, fetches, reports, plan) = ([], [], [], DeliveryPlan())
        (users, due) = (ResidentUsers(), DueSchedule())
        hasBegun = false
        tails.forget()
        for user in peers.watchedUsers { peers.changed(user) }
    }

    /// One round: everything that was asked for, and whatever is due. Waits for nothing but the database.
    func turn(taking requests: [LaneRequest]) throws {
        take(requests)
        if !hasBegun {
            try begin()
            hasBegun = true
        }
        try takeReports()
        endQuarantines()
        try confirmHeads()
        try loadMissingUsers()
        try catchUpWithCursors()
        performOpenings()
        try appendWaiting()
        try sendWanted()
        answerFetches()
        tellPeers()
        sendCheckpoints()
        try project()
        evict()
        deliveries.send()
    }

    func take(_ requests: [LaneRequest]) {
        for request in requests {
            if request.cost > 0 { context.budget.give(request.cost) }
            switch request {
            case .open(let handle, let opening):
                sessions.enqueue(handle, opening)
                // The device may come from another server, and know more of the log than this one (rules P2, P7).
                tails.mayHaveMoved = true
            case .append(let session, let append): appends.append(PendingAppend(session: session, request: append))
            case .resume(let session):
                if let user = sessions[session]?.identity.user { plan.awaitRows(user) }
                peers.resume(session, now: context.clock.monotonic())
            case .resync(let session, let collections):
                guard let session = sessions[session] else { continue }
                session.subscription.resync(collections)
                awaitCheckpoint(session)
                plan.awaitRows(session.identity.user)
            case .watch(let handle, let viewer, let users): watch(handle, viewer, users)
            case .unwatch(let session, let users): peers.unwatch(session, users)
            case .close(let session):
                close(session)
                sessions.closed(session)
            case .fetch(let session, let request): fetches.append(PendingFetch(session: session, request: request))
            case .fetched(let found): fetches.append(found)
            case .placesFound(let session, let found): goOn(session, found)
            case .projected(let partition, let report): reports.append((partition, report))
            case .headsMayHaveMoved: tails.mayHaveMoved = true
            case .stop: isStopped = true
            }
        }
    }

    /// One that fails is taken up again: nobody else would say that the partition's projector is free.
    private func takeReports() throws {
        while let (partition, report) = reports.first {
            try projected(partition, report)
            reports.removeFirst()
        }
    }

    /// Nobody waits while there is work; else until the next checkpoint, projection or look at the heads.
    private func nextDeadline() -> Deadline {
        guard appends.isEmpty, sessions.waiting.isEmpty, plan.users.isEmpty, reports.isEmpty else { return .passed }
        let now = context.clock.monotonic()
        var next = min(tails.confirmedAt.adding(milliseconds: configuration.pollMilliseconds), due.nextLook)
        next = min(next, peers.nextDeadline(now: now, retryMilliseconds: configuration.pollMilliseconds / 5))
        if let checkpoint = plan.nextCheckpoint { next = min(next, checkpoint) }
        if let write = backlog.nextWrite(pauseMilliseconds: configuration.pauseMilliseconds) { next = min(next, write) }
        return .after(seconds: Double(max(0, next - now)) / 1_000)
    }

    func partition(of user: UserID) -> Partition { Partition.of(user: user, count: context.log.partitions) }
}
