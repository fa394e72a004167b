import DequeModule
import EventStore
import FocusCore
import FocusWire
import Logging

extension LaneWorker {
    /// Commits what was staged, or tells why not.
    func commit(_ staging: AppendStaging) throws {
        lastAnswered = staging.answers.count
        guard !staging.batches.isEmpty else { return try answer(staging) { _ in true } }
        // What its commit will cover, if it comes through.
        let known = tails.known
        let batches = staging.batches.values.sorted { $0.partition < $1.partition }
        let outcomes: [Partition: AppendOutcome]
        do {
            outcomes = try store.append(batches)
        } catch let stopped as StoreStopped {
            throw stopped
        } catch let error as LogFellBack {
            for answer in staging.answers { context.budget.give(answer.append.request.bytes) }
            throw error
        } catch {
            context.logger.error("append failed", metadata: ["error": "\(error)"])
            for user in staging.touched.keys { forget(user) }
            for var answer in staging.answers {
                answer.withdraw()
                deliver(answer)
            }
            return
        }
        FaultPoint.pass(.committed)
        if outcomes.values.contains(where: { $0 != .behind }) {
            tails.commitWaited(behind: known, on: connection.connectionNumber)
        }
        var cutOver: Set<Partition> = []
        for batch in batches {
            guard case .committed(let generation) = outcomes[batch.partition] else { continue }
            tails.commitWaited(with: batch, on: connection.connectionNumber)
            if generation != tails[batch.partition].generation { cutOver.insert(batch.partition) }
            committed(batch)
        }
        context.hints.committed(
            outcomes.lazy.filter { if case .committed = $0.value { true } else { false } }.map(\.key))
        let behind = Set(batches.map(\.partition)).filter {
            if case .committed = outcomes[$0] { false } else { true }
        }
        try settle(staging, behind: behind, cutOver: cutOver)
        for partition in behind.union(cutOver).sorted() { try catchUp(partition) }
    }

    private func committed(_ batch: PartitionAppend) {
        tails.move(behind: batch)
        backlog.grew(at: context.clock.monotonic())
        backlog.note(batch)
    }

    /// Acknowledges and sends what was committed. What stood behind another server's events is folded again. Where
    /// another generation is shown, what was folded from the one before is acknowledged and not sent.
    private func settle(_ staging: AppendStaging, behind: Set<Partition>, cutOver: Set<Partition>) throws {
        for (id, keys) in staging.touched {
            guard let user = users[id] else { continue }
            if behind.contains(user.partition) || cutOver.contains(user.partition) {
                forget(id)
            } else {
                user.dirty.formUnion(keys)
                reschedule(user, changed: keys)
                notePeer(id, changed: keys)
            }
        }
        try answer(staging) { !behind.contains($0) }
        FaultPoint.pass(.answered)
        for id in staging.touched.keys {
            guard let user = users[id], !behind.contains(user.partition) else { continue }
            if user.state.hasRevokedDevices { review(user) }
            sendToAll(user)
        }
    }

    private func answer(_ staged: AppendStaging, isSettled: (Partition) -> Bool) throws {
        var staging = staged
        try confirm(&staging, isSettled: isSettled)
        var again: [PendingAppend] = []
        for answer in staging.answers {
            if isSettled(answer.partition) { deliver(answer) } else { again.append(answer.append) }
        }
        for append in again.reversed() { appends.prepend(append) }
    }

    func deliver(_ answer: AppendStaging.Answer) {
        let released = answer.append.request.bytes
        guard let session = sessions[answer.append.session] else { return context.budget.give(released) }
        var frame: [UInt8] = []
        if let appended = answer.appended {
            // Of an earlier incarnation, when the device heals the log (rule S6), it says nothing about this store's.
            if appended.incarnation == nil {
                session.lastSequence = max(session.lastSequence, appended.throughSequence)
            }
            frame += FrameCodec.frame(.appended(appended))
        }
        if let recalled = answer.recalled { frame += FrameCodec.frame(.recalled(recalled)) }
        // Rule P4: a gap is reported once. Not before it is delivered: what is staged may be staged again.
        let isGap = answer.error?.code == .sequenceGap
        if let error = answer.error, !isGap || !session.reportedGap {
            frame += FrameCodec.frame(.error(error))
            note(error, about: answer.append, session)
        }
        session.reportedGap = isGap
        deliveries.add(.answered(frame: frame, released: released), to: session.handle)
        // Rule P3.
        guard answer.error?.code == .sequenceConflict, answer.append.request.healing == nil else { return }
        end(session, .sequenceConflict)
    }

    /// What follows the frame waits for it (rule P4).
    func note(_ error: ProtocolError, about append: PendingAppend, _ session: LaneSession) {
        let incarnation = append.request.healing?.incarnation ?? session.incarnation
        session.awaited.note(error, about: append.request, in: incarnation)
    }
}
