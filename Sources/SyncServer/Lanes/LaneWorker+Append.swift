import DequeModule
import EventStore
import FocusCore
import FocusWire
import Logging
import Waits

extension LaneWorker {
    /// Validates and folds what waits, appends it with one statement, and answers.
    func appendWaiting() throws {
        let looksAtTime = context.clock.monotonic() >= due.nextLook
        guard !appends.isEmpty || looksAtTime else { return }
        guard try clockIsRight() else { return putOff() }
        if !appends.isEmpty { try gather() }
        if looksAtTime { try lookForDue() }
        var staging = AppendStaging(context.clock, behind: tails.heads)
        var later: [PendingAppend] = []
        var postponed: Set<UInt64> = []
        if looksAtTime { stageDue(into: &staging) }
        while let next = appends.first, staging.eventCount < configuration.eventsPerStatement,
            staging.byteCount < configuration.bytesPerStatement
        {
            appends.removeFirst()
            guard let session = sessions[next.session] else {
                context.budget.give(next.request.bytes)
                continue
            }
            if !session.looksUp.isEmpty {
                session.looksUp.append(next)
            } else if postponed.contains(next.session) || users.isAwaitingLoad(session.identity.user)
                || !stage(next, of: session, into: &staging)
            {
                // What its device sent after it waits with it: answers keep their order.
                postponed.insert(next.session)
                later.append(next)
            }
        }
        // In their order, before all that came later.
        for append in later.reversed() { appends.prepend(append) }
        if !staging.isEmpty { FaultPoint.pass(.staged) }
        try commit(staging)
    }

    /// The clock is wrong (rule E4): nothing is appended and nothing falls due.
    private func putOff() {
        due.look(at: context.clock.monotonic().adding(milliseconds: configuration.pollMilliseconds))
        let error = ProtocolError(
            .unavailable, "The clocks of this server and the log differ. Send again.", retryAfterMilliseconds: 1_000)
        for append in appends {
            let partition = sessions[append.session].map { self.partition(of: $0.identity.user) } ?? Partition(0)
            deliver(AppendStaging.Answer(append: append, partition: partition, error: error))
        }
        appends = []
    }

    /// Those who were answered by the last statement send their next within a moment of each other. Whoever is first would
    /// get a statement of their own, and all the others wait for it: a short wait serves them together. A device that is
    /// alone never waits.
    private func gather() throws {
        let deadline = Deadline.after(seconds: Double(configuration.gatherMicroseconds) / 1_000_000)
        guard appends.count < lastAnswered else { return }
        take(mailbox.take(atLeast: lastAnswered - appends.count, until: deadline))
        try loadMissingUsers()
    }

    /// False: it is to be staged once what was staged for its user is committed, before what came after it.
    private func stage(_ append: PendingAppend, of session: LaneSession, into staging: inout AppendStaging) -> Bool {
        let id = session.identity.user
        guard let user = users[id] else {
            staging.answers.append(
                AppendStaging.Answer(append: append, partition: partition(of: id), error: userQuarantined(id)))
            return true
        }
        user.lastUsed = context.clock.monotonic().milliseconds
        switch judge.judge(append, of: session, user, into: &staging) {
        case .staged: break
        case .foldFailed(let error): quarantine(id, error)
        case .needsPlaces(let places, let incarnation): lookUp(places, of: incarnation, append, session, user)
        case .postponed: return false
        }
        return true
    }
}
