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
        var staging = AppendStaging(context.clock)
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
    /// get a statement of his own, and all the others wait for it: a short wait serves them together. A device that is
    /// alone never waits.
    private func gather() throws {
        let deadline = Deadline.after(seconds: Double(configuration.gatherMicroseconds) / 1_000_000)
        guard appends.count < lastAnswered else { return }
        take(mailbox.take(atLeast: lastAnswered - appends.count, until: deadline))
        try loadMissingUsers()
    }

    // MARK: Stage

    /// False: it is to be staged once what was staged for its user is committed, before what came after it.
    private func stage(_ append: PendingAppend, of session: LaneSession, into staging: inout AppendStaging) -> Bool {
        var answer = AppendStaging.Answer(append: append, partition: partition(of: session.identity.user))
        guard let user = users[session.identity.user] else {
            answer.error = userQuarantined(session.identity.user)
            staging.answers.append(answer)
            return true
        }
        user.lastUsed = context.clock.monotonic().milliseconds
        // Rules A3 and P3: nothing of it is logged. The session ends when what ends it, staged before it, is committed.
        guard !user.state.isRevoked(session.identity.device), !staging.ended.contains(append.session) else {
            staging.answers.append(answer)
            return true
        }
        var request = AppendContext(append, session, user, recordedAt: recordingTime(user.partition, staging))
        if let error = passedOver(request) {
            answer.error = error
            staging.answers.append(answer)
            return true
        }
        if let error = bind(&request, into: &staging) {
            answer.error = error
        } else if !knowsPlaces(request, staging) {
            // Another session's frame of this user may be staged already: the log does not hold it yet. And one of this
            // session that is staged may have to be staged again.
            if staging.touched[user.id] != nil
                || staging.answers.contains(where: { $0.append.session == append.session })
            {
                return false
            }
            lookUp(request)
            return true
        } else {
            switch append.request.healing {
            case .lost(let lost): stage(lost, request, &answer, into: &staging)
            case .recall(let recall): answer.recalled = recalled(recall, request)
            case .reoffer, nil: stageEvents(request, &answer, into: &staging)
            }
        }
        staging.answers.append(answer)
        return true
    }

    /// A frame before it could not be taken and has not come again. Nil: none.
    private func passedOver(_ request: AppendContext) -> ProtocolError? {
        let frame = request.append.request
        guard let place = request.session.awaited.missing(before: frame, in: request.incarnation) else { return nil }
        return ProtocolError(
            .sequenceGap, "Events before this one were not taken. Send from \(place).", expected: place,
            sequence: frame.firstSequence)
    }

    private func stageEvents(
        _ request: AppendContext, _ answer: inout AppendStaging.Answer, into staging: inout AppendStaging
    ) {
        let frame = request.append.request
        var refused: [RefusedEvent] = []
        var through = frame.firstSequence.advanced(by: -1)
        var receipts = ReceiptRun(key: context.receiptKey, subject: subject(of: request))
        let offer = offer(frame, receipts)
        for (index, incoming) in frame.events.enumerated() {
            let place = Place(sequence: through.next, incarnation: request.incarnation, offer?[index])
            let step = stage(incoming, at: place, request, &receipts, into: &staging)
            if case .stopped(let error) = step {
                answer.error = error
                // Rule P3: a frame behind it might follow another event than its device believes.
                if error.code == .sequenceConflict, frame.healing == nil {
                    staging.ended.insert(request.session.handle.id)
                }
                break
            }
            // Rule P5: those behind it go on.
            if case .refused(let code, let message) = step {
                refused.append(
                    RefusedEvent(sequence: through.next, event: incoming.envelope.id, code: code, message: message))
            }
            through = through.next
        }
        guard through >= frame.firstSequence else { return }
        answer.appended = Appended(
            throughSequence: through, version: request.user.state.version, refused: refused,
            receipts: receipts.finish(), incarnation: otherIncarnation(frame, request.session))
    }

    enum Step {
        case accepted
        case refused(code: String, message: String)
        /// Neither this event nor those after it in the frame are taken.
        case stopped(ProtocolError)

        init(_ outcome: Outcome) {
            switch outcome {
            case .accepted: self = .accepted
            case .refused(let code, let message): self = .refused(code: code, message: message)
            }
        }
    }

    private func stage(
        _ incoming: IncomingEvent, at place: Place, _ request: AppendContext, _ receipts: inout ReceiptRun,
        into staging: inout AppendStaging
    ) -> Step {
        let (session, user, envelope) = (request.session, request.user, incoming.envelope)
        let device = session.identity.device
        let check = user.reading {
            $0.check(device: device, incarnation: place.incarnation, sequence: place.sequence)
        }
        switch check {
        case .earlier: return earlier(incoming, at: place, request, &receipts)
        // An incarnation that began again may have lost a place at which an event of before stands.
        case .lost where request.append.found?.event(envelope.id, at: place.sequence) != nil:
            return earlier(incoming, at: place, request, &receipts)
        // Rule P10: what an ended incarnation does not have it never gets.
        case .next, .lost, .gap: if request.isEnded { return taken(place, request) }
        }
        if case .gap(let expected) = check {
            let message = "Events before this one are missing. Send from \(expected)."
            return .stopped(ProtocolError(.sequenceGap, message, expected: expected, sequence: place.sequence))
        }
        // Where the log does not say whose incarnations are, programs read it that leave lost places empty.
        if check == .lost, !context.format.hasIncarnations { return taken(place, request) }
        // Those programs cannot fold what goes on in an incarnation that they have forgotten.
        if check == .next, !context.format.hasIncarnations, request.isForgottenEarlier { return taken(place, request) }
        if case .unknown = incoming.content {
            let message = "This server does not know that type of event yet. Keep it and try again later."
            return .stopped(
                ProtocolError(.eventUnknown, message, retryAfterMilliseconds: 60_000, sequence: place.sequence))
        }
        let repeated = user.reading { $0.remembered(envelope.id, of: device, session.identity.scope) }
        let judged = judge(
            incoming, at: place, of: session, user, recordedAt: request.recordedAt, repeated: repeated)
        guard record(judged.event, judged.logged, user, into: &staging) else {
            return .stopped(userQuarantined(user.id))
        }
        // A repeated event's contents were not compared with those that were judged, and a healed one has its receipt.
        if repeated == nil, !judged.event.isHealed { receipts.add(envelope, judged.outcome, at: place.sequence) }
        return Step(repeated ?? judged.outcome)
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
        staging.batches[
            user.partition, default: PartitionAppend(behind: tails[user.partition], events: [])
        ].append(
            event, of: user.id, type: logged.type, schemaVersion: logged.schemaVersion, payload: logged.payload)
        staging.eventCount += 1
        staging.byteCount += logged.payload.count
        return true
    }

    func recordingTime(_ partition: Partition, _ staging: AppendStaging) -> Timestamp {
        tails.recordingTime(of: partition, now: staging.now, step: staging.step)
    }
}
