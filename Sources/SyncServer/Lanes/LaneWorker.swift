import DequeModule
import EventStore
import FocusCore
import Logging
import Waits

/// A lane's loop; it and all its parts are confined to the lane's thread. The parts do not know each other: what one
/// has to tell reaches the others through the calls that are wired here.
///
/// Flow of a turn: requests → news of the log → users who were loaded → questions for those who are needed →
/// admissions → one statement with what devices append and what is due → rows, answers, statuses, checkpoints → a batch
/// for the read model. What needs a user who is being loaded waits in its part until a later turn, and nothing else waits for it.
final class LaneWorker {
    let context: LaneContext
    let deliveries: DeliveryBatch
    let log: LaneLog
    let users: LaneUsers
    let sessions: LaneSessions
    let watchers: LaneWatchers
    let appends: LaneAppends
    let activity: LaneActivity
    let mailbox: Mailbox<LaneRequest>
    /// The thread's.
    private let name: String
    private let fetches: LaneFetches
    let services: LaneServices
    let meter: LaneMeter
    var watch = ProjectionWatch()
    /// The lane's state when somebody last asked for it.
    var lastState = LaneState()
    /// The projector's reports that were not taken up yet.
    private var reports: Deque<(Partition, ProjectionReport)> = []
    /// The loader's answers that were not taken up yet.
    private var loaded: Deque<LoadAnswer> = []
    /// The loader's answers about audiences that were not taken up yet.
    private var audiences: Deque<AudienceAnswer> = []
    /// Requests that came while the database was waited for, and that could not be answered without it.
    var deferred = DeferredRequests()
    /// What the statement under way answers, in no order.
    var underWay: [AppendStaging.Answer] = []
    /// Whether `LaneLog.begin` has succeeded since the start, or since the log was last found truncated.
    private var hasBegun = false
    private var isStopped = false
    /// When the lane last paused.
    private(set) var busySince = MonotonicTime(milliseconds: .min)

    var configuration: LaneConfiguration { context.configuration }
    var now: MonotonicTime { context.clock.monotonic() }

    init(
        context: LaneContext, index: Int, partitions: [Partition], mailbox: Mailbox<LaneRequest>, store: any LaneStore,
        services: LaneServices
    ) {
        (self.context, self.mailbox, self.services) = (context, mailbox, services)
        name = "lane-\(index)"
        let tails = PartitionTails(partitions) { context.freshness.confirm(lane: index, at: $0) }
        let meter = LaneMeter(context.clock.precise)
        self.meter = meter
        let deliveries = DeliveryBatch(meter) {
            $0.restsOnAllLanes ? context.freshness.oldest : tails.confirmedAt
        }
        self.deliveries = deliveries
        let appends = LaneAppends(context, services.placeFinder) { tails[$0] }
        let activity = LaneActivity(context.format, perHour: context.configuration.activityPerHour)
        let watchers = LaneWatchers(context, deliveries)
        let sessions = LaneSessions(
            context, deliveries, confirmedAt: { tails.confirmedAt }, lastWaiting: { appends.last(of: $0) },
            didEnd: {
                watchers.close($0)
                activity.closed($0)
            })
        let users = LaneUsers(context, partitions) { news in
            sessions.hear(news)
            watchers.hear(news)
        }
        fetches = LaneFetches(services.fetcher, deliveries) { tails[$0] }
        // Deliveries leave before the database is asked, which may take long: they were made while the heads were
        // fresh, and must not leave when they no longer are.
        log = LaneLog(context, tails, store, willAsk: { deliveries.send() }) { news in
            users.hear(news)
            if case .connectionIsAnother = news { watchers.reconnect() }
            guard case .generationChanged(let head, let changed, _) = news else { return }
            let isChanged = { context.log.partition(of: $0) == head.partition && changed?.contains($0) ?? true }
            sessions.rowsMayDiffer(isChanged)
            watchers.changed(where: isChanged)
        }
        (self.appends, self.watchers, self.sessions, self.users) = (appends, watchers, sessions, users)
        self.activity = activity
        log.whileWaiting { [unowned self] in serveWithoutDatabase() }
    }

    /// Runs turn after turn until the lane is stopped.
    func run() {
        services.start()
        busySince = now
        while !isStopped {
            do {
                let asked = now
                let requests = mailbox.receive(until: nextDeadline())
                // A clock that moved means a pause, or so little that it makes no difference.
                try turn(taking: requests, busySince: now > asked ? now : busySince)
            } catch is StoreStopped {
                // The database is away and the server is to stop. Nothing that still waits was acknowledged.
                isStopped = true
            } catch {
                recover(from: error)
                Deadline.after(seconds: 0.25).sleep()
                busySince = now
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
        (loaded, audiences) = ([], [])
        watchers.restart()
        log.close()
    }

    /// Begins as after a restart, because the log lost events: all devices connect anew, and bring back what it lacks
    /// (rule S6). Nothing stays that was folded from the events that are gone.
    private func startOver() {
        sessions.endAll(.shuttingDown)
        for frame in appends.removeAll() { context.budget.release(frame.request.charge) }
        fetches.removeAll()
        (reports, loaded, audiences, hasBegun) = ([], [], [], false)
        users.startOver()
        log.tails.forget()
        watchers.changed { _ in true }
    }

    /// One turn: does everything that was asked for and everything that is due. Waits only for the database, and for a
    /// moment for more appends (`gather`).
    /// - Parameter busySince: when the lane last paused; nil: before this turn.
    func turn(taking requests: [LaneRequest], busySince: MonotonicTime? = nil) throws {
        self.busySince = busySince ?? now
        goesOn()
        sessions.beginTurn()
        if !deferred.isEmpty { dispatch(deferred.dequeueAll()) }
        dispatch(requests)
        if !hasBegun {
            try log.begin()
            hasBegun = true
        }
        try applyReports()
        users.endQuarantines()
        appends.endRests()
        try log.confirmHeads()
        try takeUpLoads()
        loadNeededUsers()
        try catchUpWithCursors()
        sessions.admit(users, event: log.event)
        try sessions.answerRevoked(log.confirm)
        users.forgetOutlines()
        try appendWaiting()
        sessions.sendAwaited(users)
        sessions.confirmWaiting()
        fetches.answer(users, isFresh: sessions.isFresh, now: now, session: { sessions[$0] })
        watchers.sendStatuses(users)
        watchers.answerQuestions(users)
        askForAudiences()
        users.keepDigests(of: sessions.sendCheckpoints(users), head: { log.tails[$0] })
        project()
        watchProjection()
        loadNeededUsers()
        let evicted = users.evict(except: sessions.halfHashed?.user)
        if !evicted.isEmpty { services.folder.discard(evicted) }
        deliveries.send()
        log.tellOthers()
    }

    /// To be called again and again, so that nobody takes the lane for one that hangs.
    func goesOn() { context.liveness?.turned(name) }

    /// Hands each request to the part that it concerns.
    func dispatch(_ requests: [LaneRequest]) {
        for request in requests {
            if let charge = request.charge { context.budget.release(charge) }
            switch request {
            case .open(let handle, let opening):
                sessions.enqueue(handle, opening)
                // The device may come from another server, where it saw more of the log than this lane knows (P2, P7).
                log.tails.mayHaveMoved = true
            case .confirm(let handle): sessions.confirm(handle)
            case .append(let session, let append): appends.enqueue(PendingAppend(session: session, request: append))
            case .resume(let session):
                sessions.resume(session)
                watchers.resume(session)
            case .resync(let session, let collections): sessions.resync(session, collections)
            case .activity(let session, let report):
                if let session = sessions[session] { activity.report(report, of: session) }
            case .watch(let handle, let viewer, let users): watchers.watch(handle, viewer, users)
            case .unwatch(let session, let users): watchers.unwatch(session, users)
            case .close(let session): if !deferred.closed(session) { sessions.closed(session) }
            case .fetch(let session, let request): fetches.enqueue(PendingFetch(session: session, request: request))
            case .reach(let question): watchers.ask(question)
            case .fetched(let found): fetches.enqueue(found)
            case .placesFound(let session, let found): appends.putBack(sessions.placesFound(session, found))
            case .loaded(let answer):
                loaded.append(answer)
                // What the load saw may be gone since, which a look at the heads shows.
                log.tails.mayHaveMoved = true
            case .audiencesFound(let answer):
                audiences.append(answer)
                log.tails.mayHaveMoved = true
            case .projected(let partition, let report): reports.append((partition, report))
            case .figures(let reply): reply(figures())
            case .inquire(let read): read(self)
            case .headsMayHaveMoved: log.tails.mayHaveMoved = true
            case .stop: isStopped = true
            }
        }
    }

    /// How long to wait for requests: not at all while there is work, and else until the next poll of the heads or
    /// until the next thing that a part has to do.
    private func nextDeadline() -> Deadline {
        guard appends.isEmpty, reports.isEmpty, loaded.isEmpty, audiences.isEmpty, deferred.isEmpty else {
            return .passed
        }
        let poll = log.tails.confirmedAt.adding(milliseconds: configuration.pollMilliseconds)
        let planned = [
            poll, users.nextDeadline, watchers.nextDeadline, sessions.nextDeadline(users.isLoading),
            appends.nextRestEnds,
        ]
        let next = max(now, planned.compactMap(\.self).min() ?? now)
        return .after(seconds: Double(next - now) / 1_000)
    }

    // MARK: Users

    /// Takes up the loader's answers: what waited for their users goes on.
    private func takeUpLoads() throws {
        while let answer = loaded.popFirst() {
            guard users.loads.ended(answer.number) else { continue }
            switch answer.found {
            case .success(let found):
                try log.takeUp(found, use: { users.loads.use(of: $0, at: $1, version: $2) })
                users.loads.askForRest(of: answer.number)
            case .failure:
                let pause = configuration.pollMilliseconds
                users.loads.failed(answer.number, until: now.adding(milliseconds: pause))
            }
        }
        while let answer = audiences.popFirst() {
            let heads = (try? answer.found.get().heads) ?? []
            let known = try log.leadsThrough(heads)
            watchers.takeUp(answer, isKnown: known.contains)
        }
        appends.endWaits { users.isAwaitingLoad($0) }
        watchers.endWaits { users.isAwaitingLoad($0) }
    }

    /// Has the users loaded who are needed for what waits, and who are not in memory; or has them looked up, if nothing
    /// waits for them but connections whose cursors may be current.
    func loadNeededUsers() {
        var needed = sessions.neededUsers.union(watchers.awaitingLoad).union(appends.awaitingLoad)
        needed.formUnion(activity.users)
        for id in Array(appends.sessions) + fetches.sessions {
            if let session = sessions[id] { needed.insert(session.identity.user) }
        }
        users.need(needed)
        let openings = sessions.openings
        users.need(openings.keys.filter { users.outline(of: $0) == nil })
        while let question = users.loads.ask(
            limit: configuration.usersPerLoad, now: now, head: { log.tails[context.log.partition(of: $0)] },
            cursors: { needed.contains($0) || users.isAwaited($0) ? nil : openings[$0] ?? nil })
        {
            services.loader.post(question)
        }
    }

    /// Asks for the audiences of users who are not in memory, and whom somebody watches.
    private func askForAudiences() {
        if let question = watchers.ask(head: { log.tails[$0] }) { services.loader.post(question) }
    }

    /// Catches up with commits of other servers that the cursors of waiting connections tell of.
    private func catchUpWithCursors() throws {
        let partitions = sessions.partitionsBehindCursors(users)
        guard !partitions.isEmpty else { return }
        for partition in partitions.sorted() { try log.catchUp(partition) }
    }

    // MARK: What services do

    /// Hands the projector the batches that are due.
    private func project() {
        for partition in users.dueProjections() {
            guard let (batch, report) = users.makeBatch(log.tails[partition], log.tails.timeline) else { continue }
            services.projector.post(batch, report)
        }
    }

    /// Takes up the projector's reports. A report stays in the queue until it was dealt with, because nothing else
    /// would say that the partition's batch is no longer under way.
    private func applyReports() throws {
        while let (partition, report) = reports.first {
            meter.projected(report.result)
            if users.projected(report, log.tails[partition]) { try log.checkpointRegressed(partition) }
            reports.removeFirst()
        }
    }
}
