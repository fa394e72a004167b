import DequeModule
import EventStore
import FocusCore
import FocusWire
import Logging
import Waits

extension LaneWorker {
    /// Validates and folds what waits, appends it with one statement, and answers.
    func appendWaiting() throws {
        let looksAtTime = isTimeToLook()
        guard !appends.isEmpty || looksAtTime else { return }
        guard try clockIsRight() else { return putOff() }
        if !appends.isEmpty { try gather() }
        if looksAtTime { try lookForDue() }
        var staging = AppendStaging(now: context.clock.wall())
        var absent: [PendingAppend] = []
        if looksAtTime { stageDue(into: &staging) }
        while let next = appends.first, staging.eventCount < configuration.eventsPerStatement,
            staging.byteCount < configuration.bytesPerStatement
        {
            appends.removeFirst()
            if let session = sessions[next.session], isToCome(session.identity.user) {
                absent.append(next)
            } else {
                stage(next, into: &staging)
            }
        }
        // In their order, before all that came later.
        for append in absent.reversed() { appends.prepend(append) }
        FaultPoint.pass(.staged)
        try commit(staging)
    }

    /// The clock is wrong (rule E4): nothing is appended and nothing falls due.
    private func putOff() {
        nextLookAtTime = context.clock.monotonic().adding(milliseconds: configuration.pollMilliseconds)
        let error = ProtocolError(
            .unavailable, "The clocks of this server and the log differ. Send again.", retryAfterMilliseconds: 1_000)
        for append in appends {
            let partition = sessions[append.session].map { self.partition(of: $0.identity.user) } ?? Partition(0)
            deliver(AppendStaging.Answer(append: append, partition: partition, error: error))
        }
        appends = []
    }

    /// Those who were answered by the last statement send their next within a moment of each other. Whoever is first would
    /// get a statement of his own, and all the others wait for it: a short wait serves them together. A device that is
    /// alone never waits.
    private func gather() throws {
        let deadline = Deadline.after(seconds: Double(configuration.gatherMicroseconds) / 1_000_000)
        guard appends.count < lastAnswered else { return }
        take(mailbox.take(atLeast: lastAnswered - appends.count, until: deadline))
        try loadMissingUsers()
    }

    // MARK: Stage

    private func stage(_ append: PendingAppend, into staging: inout AppendStaging) {
        guard let session = sessions[append.session] else { return context.budget.give(append.request.bytes) }
        guard let user = users[session.identity.user] else {
            let error = userQuarantined(session.identity.user)
            staging.answers.append(
                .init(append: append, partition: partition(of: session.identity.user), error: error))
            return
        }
        user.lastUsed = context.clock.monotonic().milliseconds
        var answer = AppendStaging.Answer(append: append, partition: user.partition)
        // Rule A3: nothing of it is logged. The session ends when the revocation, staged before it, is committed.
        guard !user.state.isRevoked(session.identity.device) else { return staging.answers.append(answer) }
        let recordedAt = recordingTime(user.partition, staging)
        if case .lost(let lost) = append.request.healing {
            stage(lost, of: session, user, recordedAt: recordedAt, &answer, into: &staging)
            staging.answers.append(answer)
            return
        }
        var refused: [RefusedEvent] = []
        var through = append.request.firstSequence.advanced(by: -1)
        var receipts = ReceiptRun(key: context.receiptKey, subject: subject(of: append.request, session))
        let offer = offer(append.request, receipts)
        let repeated = repeatedEvents(append.request, of: session, user)
        for (index, incoming) in append.request.events.enumerated() {
            let place = Place(sequence: through.next, incarnation: receipts.subject.incarnation, offer?[index])
            let step = stage(
                incoming, at: place, of: session, user, recordedAt: recordedAt, &receipts, into: &staging)
            if case .stopped(let error) = step {
                answer.error = error
                break
            }
            if case .refused(let code, let message) = step {
                refused.append(
                    RefusedEvent(sequence: through.next, event: incoming.envelope.id, code: code, message: message))
            }
            through = through.next
            if let outcome = repeated[through]?.outcome(of: incoming.envelope) {
                receipts.add(incoming.envelope, outcome, at: through)
            }
        }
        noteGap(&answer, session)
        if through >= append.request.firstSequence {
            answer.appended = Appended(
                throughSequence: through, version: user.state.version, refused: refused, receipts: receipts.finish(),
                incarnation: otherIncarnation(append.request, session))
        }
        staging.answers.append(answer)
    }

    /// Rule P4: a gap is reported once.
    func noteGap(_ answer: inout AppendStaging.Answer, _ session: LaneSession) {
        let isGap = answer.error?.code == .sequenceGap
        if isGap, session.reportedGap { answer.error = nil }
        session.reportedGap = isGap
    }

    private enum Step {
        case accepted
        case refused(code: String, message: String)
        /// Neither this event nor those after it in the frame are taken.
        case stopped(ProtocolError)
    }

    private func stage(
        _ incoming: IncomingEvent, at place: Place, of session: LaneSession, _ user: CachedUser,
        recordedAt: Timestamp, _ receipts: inout ReceiptRun, into staging: inout AppendStaging
    ) -> Step {
        let envelope = incoming.envelope
        let sequence = place.sequence
        let check = user.reading {
            $0.check(
                device: session.identity.device, incarnation: place.incarnation, sequence: sequence,
                event: envelope.id)
        }
        var repeated: Outcome?
        switch check {
        case .next: break
        case .duplicate(.refused(let code, let message)): return .refused(code: code, message: message)
        case .duplicate: return .accepted
        case .repeated(let outcome): repeated = outcome
        case .conflict:
            let message = "Another event has this sequence. Begin a new incarnation and send it again."
            return .stopped(ProtocolError(.sequenceConflict, message, sequence: sequence))
        case .gap(let expected):
            let message = "Events before this one are missing. Send from \(expected)."
            return .stopped(ProtocolError(.sequenceGap, message, expected: expected, sequence: sequence))
        }
        if case .unknown = incoming.content {
            let message = "This server does not know that type of event yet. Keep it and try again later."
            return .stopped(
                ProtocolError(.eventUnknown, message, retryAfterMilliseconds: 60_000, sequence: sequence))
        }
        let judged = judge(incoming, at: place, of: session, user, recordedAt: recordedAt, repeated: repeated)
        guard record(judged.event, judged.logged, user, into: &staging) else {
            return .stopped(userQuarantined(user.id))
        }
        // A repeated event's contents were not compared with those that were judged, and a healed one has its receipt.
        if repeated == nil, !judged.event.isHealed { receipts.add(envelope, judged.outcome, at: sequence) }
        switch repeated {
        case .refused(let code, let message): return .refused(code: code, message: message)
        case .accepted: return .accepted
        case nil: return judged.refusal.map { .refused(code: $0.code, message: $0.message) } ?? .accepted
        }
    }

    /// Folds the event and puts it behind the others of its partition. False: the fold failed; the user is quarantined.
    func record(
        _ event: Event, _ logged: (type: EventType, schemaVersion: Int32, payload: [UInt8]), _ user: CachedUser,
        into staging: inout AppendStaging
    ) -> Bool {
        do {
            let keys = try user.state.apply(event)
            staging.touched[user.id, default: []].append(contentsOf: keys)
        } catch {
            quarantine(user.id, error)
            return false
        }
        let next = partitions[user.partition]!.head.nextOffset
        let count = staging.batches[user.partition]?.events.count ?? 0
        staging.batches[
            user.partition, default: PartitionAppend(partition: user.partition, expectedOffset: next, events: [])
        ].events.append(
            LoggedEvent(
                partition: user.partition, offset: next.advanced(by: count), user: user.id,
                version: event.version, device: event.device, incarnation: event.incarnation,
                sequence: event.sequence, id: event.id, type: logged.type.rawValue, app: event.app,
                occurredAt: event.occurredAt, recordedAt: event.recordedAt, schemaVersion: logged.schemaVersion,
                encoding: event.isHealed ? LoggedEvent.healed : LoggedEvent.asSent, payload: logged.payload))
        staging.eventCount += 1
        staging.byteCount += logged.payload.count
        return true
    }

    /// The statement's time, but never before what the partition has (architecture.md §1): whatever the clock does,
    /// `recorded_at` goes one way.
    func recordingTime(_ partition: Partition, _ staging: AppendStaging) -> Timestamp {
        max(staging.now, partitions[partition]!.head.lastRecordedAt)
    }
}
