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
        let known = partitions.values.map(\.head)
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
            confirmed.confirm(known, on: connection.connectionNumber)
        }
        var cutOver: Set<Partition> = []
        for batch in batches {
            guard case .committed(let generation) = outcomes[batch.partition] else { continue }
            confirmed.confirm(batch, on: connection.connectionNumber)
            if generation != partitions[batch.partition]?.head.generation { cutOver.insert(batch.partition) }
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
        lastGrowth = context.clock.monotonic()
        partitions[batch.partition]?.move(behind: batch)
        connection.anchors[batch.partition] = partitions[batch.partition]?.head.anchor
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
                noteDue(user, changed: keys)
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
        let gap = session.gap(answer)
        if let error = answer.error, gap == nil || gap != session.reportedGap {
            frame += FrameCodec.frame(.error(error))
            note(error, about: answer.append, session)
        }
        session.reportedGap = gap
        deliveries.add(.answered(frame: frame, released: released), to: session.handle)
        // Rule P3.
        guard answer.error?.code == .sequenceConflict, answer.append.request.healing == nil else { return }
        end(session, .sequenceConflict)
    }

    /// What follows the frame waits for it (rule P4).
    func note(_ error: ProtocolError, about append: PendingAppend, _ session: LaneSession) {
        session.awaited.note(error, about: append.request, in: session.incarnation(of: append))
    }
}

extension LaneSession {
    /// The incarnation that the append is about: healing names it, an ordinary append is of the session's.
    fileprivate func incarnation(of append: PendingAppend) -> Incarnation {
        append.request.healing?.incarnation ?? incarnation
    }

    /// The gap that the answer reports; nil when it reports none.
    fileprivate func gap(_ answer: AppendStaging.Answer) -> Gap? {
        guard let error = answer.error, error.code == .sequenceGap else { return nil }
        return Gap(incarnation: incarnation(of: answer.append), expected: error.expected)
    }
}
