import EventStore
import FocusCore
import Logging
import Waits

extension LaneWorker {
    /// Validates and folds what waits, appends it with one statement, and answers.
    func appendWaiting() throws {
        let looksAtTime = now >= users.due.nextLook
        guard !appends.isEmpty || looksAtTime else { return }
        guard try log.clockIsRight() else { return putOff() }
        if !appends.isEmpty { try gather() }
        if looksAtTime { try lookForDue() }
        var staging = AppendStaging(context.clock, behind: log.tails.heads)
        if looksAtTime { users.stageDue(into: &staging) }
        appends.stage(into: &staging, users, session: { sessions[$0] }, foldFailed: { users.quarantine($0, $1) })
        if !staging.isEmpty { FaultPoint.pass(.staged) }
        try commit(staging)
    }

    /// The clock is wrong (rule E4): nothing is appended and nothing falls due.
    private func putOff() {
        users.lookAgain(after: configuration.pollMilliseconds)
        let error = ProtocolError(
            .unavailable, "The clocks of this server and the log differ. Send again.", retryAfterMilliseconds: 1_000)
        for frame in appends.removeAll() {
            sessions.deliver(AppendStaging.Answer(append: frame, partition: Partition(0), error: error))
        }
    }

    /// Whoever of those that the last statement answered sends first would get a statement of their own, and all the
    /// others wait for it: a short wait serves them together. A device that is alone never waits.
    private func gather() throws {
        let deadline = Deadline.after(seconds: Double(configuration.gatherMicroseconds) / 1_000_000)
        guard appends.expected > 0 else { return }
        take(mailbox.take(atLeast: appends.expected, until: deadline))
        try loadNeededUsers()
    }

    /// Loads who may be due, before anything is staged: loading may find that others have appended.
    private func lookForDue() throws {
        let time = context.clock.wall()
        do {
            if !users.due.scan.isUnderWay { try log.lookForLoss { users.backlog.checkpoint(of: $0) } }
            users.due.scan.begin(log.tails.partitions, at: time)
            let found = try log.dueUsers(&users.due.scan, limit: configuration.dueUsersPerLook)
            let look = users.look(found, at: time)
            try load(look.users)
            users.end(look) { log.tails[$0] }
        } catch EventStoreError.noGeneration {
            // That generation was dropped: which one is shown now, the heads say.
            log.tails.mayHaveMoved = true
            users.lookAgain(after: configuration.pollMilliseconds)
        }
    }

    /// Commits what was staged, or tells why not.
    private func commit(_ staging: AppendStaging) throws {
        guard !staging.batches.isEmpty else { return try answer(staging, CommitReport()) }
        let report: CommitReport
        do {
            report = try log.append(staging.batches.values.sorted { $0.partition < $1.partition })
        } catch let error where error is StoreStopped || error is LogFellBack {
            release(staging)
            throw error
        } catch {
            context.logger.error("append failed", metadata: ["error": "\(error)"])
            for user in staging.touched.keys { users.forget(user) }
            for var answer in staging.answers {
                answer.withdraw()
                sessions.deliver(answer)
            }
            return
        }
        try settle(staging, report)
        for partition in report.behind.union(report.cutOver).sorted() { try log.catchUp(partition) }
    }

    /// Acknowledges and sends what was committed. What stood behind another server's events is folded again. Where
    /// another generation is shown, what was folded from the one before is acknowledged and not sent.
    private func settle(_ staging: AppendStaging, _ report: CommitReport) throws {
        for (id, keys) in staging.touched {
            guard let user = users[id] else { continue }
            guard report.isValid(user.partition) else {
                users.forget(id)
                continue
            }
            users.committed(user, changed: keys)
            watchers.changed(id, by: keys)
        }
        try answer(staging, report)
        FaultPoint.pass(.answered)
        for id in staging.touched.keys {
            guard let user = users[id], report.isSettled(user.partition) else { continue }
            if user.state.hasRevokedDevices { sessions.review(user) }
            sessions.sendToAll(of: user)
        }
    }

    private func answer(_ staged: AppendStaging, _ report: CommitReport) throws {
        var staging = staged
        do {
            try log.confirm(&staging, report)
        } catch {
            release(staging)
            throw error
        }
        for answer in staging.answers where report.isSettled(answer.partition) { sessions.deliver(answer) }
        appends.putBack(staging.answers.filter { !report.isSettled($0.partition) }.map(\.append))
    }

    /// Nobody is answered: the lane starts over, or ends.
    private func release(_ staging: AppendStaging) {
        for answer in staging.answers { context.budget.give(answer.append.request.bytes) }
    }
}
