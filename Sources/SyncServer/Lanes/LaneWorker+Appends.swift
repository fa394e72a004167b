import EventStore
import FocusCore
import Logging
import Waits

extension LaneWorker {
    /// Judges and folds what waits and what is due, appends it with one statement, and answers. What is for partitions
    /// to which other servers append at the same time gets a statement of its own (`LaneWorker+Contention`).
    func appendWaiting() throws {
        let looksAtTime = users.nextLook.map { now >= $0 } ?? false
        guard !appends.isEmpty || looksAtTime || users.due.hasArrivals || !activity.isEmpty else { return }
        guard try log.clockIsRight() else { return withdrawAppends() }
        if !appends.isEmpty { try gather() }
        if looksAtTime { try findDue() }
        let withDue = looksAtTime || users.due.hasArrivals
        let contended = log.contendedPartitions()
        let heads = log.tails.heads
        let free = contended.isEmpty ? heads : heads.filter { !contended.contains($0.key) }
        try append(
            AppendStaging(context.clock, behind: free, beside: users.beside, bounds: appends.bounds), withDue: withDue)
        if !contended.isEmpty { try appendLocking(contended, withDue: withDue) }
    }

    /// Stages what waits for the staging's partitions and, with `withDue`, what is due there; commits it, and answers.
    func append(_ empty: AppendStaging, withDue: Bool) throws {
        var staging = empty
        if withDue { users.stageDue(into: &staging) }
        // What a device reports comes before what is posted with it, which depends on it.
        activity.stage(into: &staging, users, configuration, now: now)
        var failed: [CachedUser] = []
        appends.stage(
            into: &staging, users, session: { sessions[$0] }, connected: { sessions.open.devices(of: $0) },
            foldFailed: { id, error in
                if let user = users[id] { failed.append(user) }
                users.quarantine(id, error, isLogged: false)
            })
        try commit(staging, failed)
        appends.ended(staging, busySince: busySince)
    }

    /// Answers the waiting appends with an error, because the server's clock is wrong (rule E4). Nothing falls due
    /// either.
    private func withdrawAppends() {
        users.scheduleLook(after: configuration.pollMilliseconds)
        let reason = "The clocks of this server and the log differ. Send again."
        for answer in appends.withdraw(because: reason, of: { [sessions] in sessions[$0] }) { sessions.deliver(answer) }
    }

    /// Waits for a moment if more appends are likely to come. Devices that the last statement answered send their next
    /// frames at about the same time; without the wait the first of them would get a statement of its own, and the
    /// others would wait for that. A lone device never waits.
    private func gather() throws {
        let deadline = Deadline.after(seconds: Double(configuration.gatherMicroseconds) / 1_000_000)
        guard appends.expected > 0 else { return }
        let requests = mailbox.receive(atLeast: appends.expected, until: deadline)
        if !deferred.isEmpty { dispatch(deferred.dequeueAll()) }
        dispatch(requests)
    }

    /// Looks for users for whom something may be due. This comes before anything is staged, because it may find that
    /// the log has lost events.
    private func findDue() throws {
        let time = context.clock.wall()
        do {
            if !users.due.scan.isUnderWay { try log.checkForLoss { users.backlog.checkpoint(of: $0) } }
            users.due.scan.begin(log.tails.partitions, at: time)
            let found = try log.dueUsers(&users.due.scan, limit: configuration.dueUsersPerLook)
            users.look(found, at: time) { log.tails[$0] }
        } catch EventStoreError.noGeneration {
            // The generation that the lane knows was dropped. The heads name the one that is shown now.
            log.tails.mayHaveMoved = true
            users.scheduleLook(after: configuration.pollMilliseconds)
        }
    }

    /// Commits what was staged, then gives the answers and sends the changed rows. Frames of partitions to which
    /// another server appended first are staged again with the next statement. In partitions that show another
    /// generation, the answers are given, and the rows are sent once the users are loaded from it.
    /// - Parameter failed: users whose fold failed behind events that are staged.
    private func commit(_ staged: AppendStaging, _ failed: [CachedUser]) throws {
        var staging = staged
        let report: CommitReport
        underWay = staging.answers
        defer { underWay = [] }
        let began = meter.now
        do {
            report = try log.commit(&staging)
        } catch {
            staging.release(to: context.budget)
            throw error
        }
        activity.settle(report)
        let ended = meter.now
        meter.committed(staging, report, began: began, ended: ended)
        let leaving = settle(staging.users, report) + failed.filter { report.isLogged($0.partition) }
        answer(staging, report)
        // Behind the answers: a state that leaves memory takes the sessions with it of devices that it knows revoked.
        for staged in staging.users {
            if let event = staged.unfolded { fold(event, of: staged.id, report) }
        }
        for staged in staging.users where staged.hasFoldedEvents {
            guard let user = users[staged.id] else { continue }
            if user.state.hasRevokedDevices { sessions.closeInvalidSessions(user) }
            sessions.sendToAll(of: user, since: ended)
        }
        for user in leaving { sessions.cutOffRevoked(user) }
        for partition in report.outdated.sorted() { try log.catchUp(partition) }
    }

    /// Takes up what became of staged events: in the states of their users, and for watchers.
    /// - Returns: states that have left memory although the log has their events.
    private func settle(_ staged: [StagedUser], _ report: CommitReport) -> [CachedUser] {
        var leaving: [CachedUser] = []
        for staged in staged where staged.hasFoldedEvents {
            guard let user = users[staged.id] else { continue }
            if report.isValid(user.partition) {
                users.committed(user, changed: staged.touched.keys)
            } else {
                // Where another server was first, the log has none of the staged events. Where another generation is
                // shown it has them.
                if report.isLogged(user.partition) { leaving.append(user) }
                users.forget(staged.id, isLogged: false)
            }
            // Where the partition shows another generation by now, the events are in the log, and nothing else tells of
            // them.
            if report.isLogged(user.partition) { watchers.changed(staged.id, by: staged.touched.keys) }
        }
        return leaving
    }

    /// Gives the answers of what is settled. A frame that is not is staged again as it was, or goes on where it ended;
    /// until then its session's later frames wait.
    private func answer(_ staging: AppendStaging, _ report: CommitReport) {
        for answer in staging.answers where report.isSettled(answer.partition) {
            if let rest = answer.rest { sessions.isLogged(in: rest) } else { sessions.deliver(answer) }
        }
        appends.committed(
            report.isWhole
                ? staging.used : staging.used.filter { report.isLogged(context.log.partition(of: $0.key.user)) })
        appends.putBack(
            staging.answers.compactMap { report.isSettled($0.partition) ? $0.rest : $0.append })
        if !staging.batches.isEmpty { FaultPoint.pass(.answered) }
    }

    /// Has the user's event folded beside the lane, once the log has it.
    private func fold(_ event: Event, of id: UserID, _ report: CommitReport) {
        let partition = context.log.partition(of: id)
        guard report.isValid(partition) else {
            users.forget(id)
            return report.isLogged(partition) ? watchers.hear(.changed(id)) : ()
        }
        guard let user = users[id] else { return }
        services.folder.post(users.handOver(user, event, behind: log.tails[user.partition]))
    }
}
