import EventStore
import FocusCore
import FocusWire

/// Judges the events of a frame, one after the other (rules E1, E2, P3 to P5).
extension AppendJudge {
    /// What becomes of one event of a frame.
    enum Step {
        case accepted
        case refused(code: String, message: String)
        /// The frame ends here with this error: neither the event nor those after it are taken.
        case stopped(ProtocolError)

        init(_ outcome: Outcome) {
            switch outcome {
            case .accepted: self = .accepted
            case .refused(let code, let message): self = .refused(code: code, message: message)
            }
        }
    }

    /// Judges the frame's events and stages what the log gets of them, as far as the statement has room for their work;
    /// the rest of the frame goes on in a later statement. Fills `answer` as far as it comes, also when it throws.
    func stageEvents(
        _ frame: AppendContext, _ answer: inout AppendStaging.Answer, into staging: inout AppendStaging
    ) throws(FoldFailure) {
        let request = frame.append.request
        var progress = frame.append.progress ?? begun(request, frame)
        let device = QuotaKey(frame.session.identity)
        var room = room(of: device, staging)
        // Also when the fold fails: the events before that one are taken.
        defer {
            staging.use(room.used, by: device)
            if progress.taken > 0, answer.rest == nil {
                answer.appended = Appended(
                    throughSequence: request.firstSequence.advanced(by: progress.taken - 1),
                    version: frame.session.version(frame.user), refused: progress.refused,
                    receipts: progress.receipts.finish(), incarnation: otherIncarnation(request, frame.session))
            }
        }
        // Events are read where they stand: a copy of one touches a reference count for each of its parts.
        let events = request.events.span
        while progress.taken < events.count {
            // Each statement takes one of its events at least.
            if progress.taken > frame.append.taken,
                !staging.hasRoomForWork(of: frame.user.id)
            {
                answer.rest = frame.append
                answer.rest?.progress = progress
                return
            }
            let sequence = request.firstSequence.advanced(by: progress.taken)
            let place = OfferedPlace(
                sequence: sequence, incarnation: frame.incarnation, progress.offer?[progress.taken])
            switch try stage(events[progress.taken], at: place, frame, &progress.receipts, &room, into: &staging) {
            case .accepted: break
            case .refused(let code, let message):
                // Rule P5: a refused event does not stop the events behind it.
                progress.refused.append(
                    RefusedEvent(
                        sequence: sequence, event: events[progress.taken].envelope.id, code: code, message: message))
            case .stopped(let error):
                answer.error = error
                // Rule P3: later frames of the session might follow another event than their device believes.
                if error.code == .sequenceConflict, request.healing == nil { staging.end(frame.session.handle.id) }
                return
            }
            progress.taken += 1
        }
        // The answer names the version that the last event made for the session, which only the folded state knows.
        if staging.isUnfolded(frame.user.id) {
            answer.rest = frame.append
            answer.rest?.progress = progress
        }
    }

    private func begun(_ request: IncomingAppend, _ frame: AppendContext) -> AppendProgress {
        let receipts = ReceiptRun(key: receiptKey, subject: subject(of: frame))
        return AppendProgress(receipts, offer: offer(request, receipts))
    }

    /// The incarnation that the answer names: nil when it is the session's own.
    private func otherIncarnation(_ request: IncomingAppend, _ session: LaneSession) -> Incarnation? {
        request.healing.flatMap { $0.incarnation == session.incarnation ? nil : $0.incarnation }
    }

    private func stage(
        _ incoming: IncomingEvent, at place: OfferedPlace, _ frame: AppendContext, _ receipts: inout ReceiptRun,
        _ room: inout AppendRoom, into staging: inout AppendStaging
    ) throws(FoldFailure) -> Step {
        let user = frame.user
        let (device, scope) = (frame.session.identity.device, frame.session.identity.scope)
        let check = user.reading {
            $0.check(device: device, incarnation: place.incarnation, sequence: place.sequence)
        }
        switch check {
        case .earlier:
            staging.compared(payloadBytes: incoming.envelope.payload.count, for: user.id)
            return earlier(incoming, at: place, frame, &receipts)
        // An incarnation that began again at 1 may have declared a place lost at which an event from before stands.
        case .lost where frame.append.found?.event(incoming.envelope.id, at: place.sequence) != nil:
            staging.compared(payloadBytes: incoming.envelope.payload.count, for: user.id)
            return earlier(incoming, at: place, frame, &receipts)
        // Rule P10: an ended incarnation takes no further event.
        case .next, .lost, .gap: if frame.isEnded { return taken(place, frame) }
        }
        if case .gap(let expected) = check {
            let message = "Events before this one are missing. Send from \(expected)."
            return .stopped(ProtocolError(.sequenceGap, message, expected: expected, sequence: place.sequence))
        }
        // A log of an earlier format is also read by earlier programs, and their fold fills no lost place.
        if check == .lost, !format.hasIncarnations { return taken(place, frame) }
        // Nor can earlier programs fold the next event of an incarnation that they have forgotten.
        if check == .next, !format.hasIncarnations, frame.isForgottenEarlier { return taken(place, frame) }
        if !isKnown(incoming.content) {
            let message = "This server does not know the event's type or version yet. Keep it and try again later."
            return .stopped(
                ProtocolError(.eventUnknown, message, retryAfterMilliseconds: 60_000, sequence: place.sequence))
        }
        // What a receipt proves was taken before, so it is exempt from both bounds.
        if !place.isProved, !hasRoom(user, for: incoming) {
            let message = "This user has no room left. Remove what is not needed, and send again."
            return .stopped(
                ProtocolError(.quotaExceeded, message, retryAfterMilliseconds: 60_000, sequence: place.sequence))
        }
        let bytes = incoming.envelope.payload.count
        if !place.isProved, let error = room.exceeded(payloadBytes: bytes, at: place.sequence) {
            return .stopped(error)
        }
        let repeated = user.reading { $0.remembered(incoming.envelope.id, of: device, scope) }
        let judged = judge(incoming, at: place, frame, repeated: repeated)
        try record(judged.event, judged.logged, user, into: &staging)
        if !place.isProved { room.use(payloadBytes: bytes) }
        // A repeated event may have other contents than the one that was judged, so it gets no receipt. A healed event
        // has its receipt already.
        if repeated == nil, !judged.event.isHealed {
            receipts.add(incoming.envelope, judged.outcome, at: place.sequence)
        }
        return Step(repeated ?? judged.outcome)
    }

    /// Whether the log may hold the event. One that a server of an earlier version could not read waits in its device's
    /// queue until the format is raised, like one that this server cannot read.
    private func isKnown(_ content: IncomingEvent.Content) -> Bool {
        switch content {
        case .unknown: false
        case .decoded(let type, _): format.allows(type)
        case .refused: true
        }
    }

    // MARK: Bounds

    /// Whether the user has room for the event (rule Q4).
    private func hasRoom(_ user: CachedUser, for incoming: IncomingEvent) -> Bool {
        guard case .decoded(let type, _) = incoming.content else { return user.approximateBytes <= userBytes }
        return switch type.traits.room {
        case .needed: user.approximateBytes <= userBytes
        case .freed: user.approximateBytes / 2 <= userBytes
        case .unneeded: true
        }
    }

    /// The device's quota of a day, less what is staged of it (rule Q5).
    func room(of device: QuotaKey, _ staging: AppendStaging) -> AppendRoom {
        AppendRoom(quotas, device, staged: staging.used[device] ?? AppendUse(), now: clock.monotonic())
    }

    // MARK: One event

    /// An event as it is folded and logged, and the refusal that its device is told.
    struct Judged {
        var event: Event
        /// Nil: the event is accepted.
        var refusal: (code: String, message: String)?
        /// The device's bytes, or the refusal in their place (rule E2).
        var logged: LoggedPayload

        var outcome: Outcome { refusal.map { .refused(code: $0.code, message: $0.message) } ?? .accepted }
    }

    /// Decides whether the event is accepted or refused (rule E2).
    /// - Parameter repeated: what became of the event at an earlier place, if the state remembers it (rule E1); else
    ///   nil.
    private func judge(
        _ incoming: IncomingEvent, at place: OfferedPlace, _ frame: AppendContext, repeated: Outcome?
    ) -> Judged {
        let app = incoming.envelope.app.flatMap { frame.user.app($0) }
        if repeated == nil, let healed = heal(incoming, at: place, frame, app) { return healed }
        if let refusal = refusalUnseen(incoming, app, repeated: repeated) {
            return refused(incoming, at: place, frame, code: refusal.code.rawValue, refusal.message)
        }
        guard case .decoded(let type, let body) = incoming.content else {
            preconditionFailure("what does not decode is refused, and an unknown event stops its frame")
        }
        let event = event(incoming, at: place, frame, app, body)
        let refusal = frame.user.reading {
            $0.validate(event, scope: frame.session.identity.scope, isConnected: frame.connected.contains)
        }
        if let refusal {
            return refused(incoming, at: place, frame, code: refusal.code.rawValue, refusal.message)
        }
        return Judged(event: event, refusal: nil, logged: incoming.logged(as: type))
    }

    /// Why the event is refused before it is validated against the state; nil: it is to be validated.
    private func refusalUnseen(_ incoming: IncomingEvent, _ app: AppID?, repeated: Outcome?) -> Refusal? {
        let envelope = incoming.envelope
        if repeated != nil { return Refusal(.alreadyLogged, "This event was logged under an earlier incarnation.") }
        if envelope.app != nil, app == nil {
            return Refusal(.fieldInvalid, "app is not a bundle identifier.")
        }
        if envelope.occurredAt < .earliestStored {
            return Refusal(.clockSkew, "occurred_at is before 4714-11-24 BC")
        }
        if case .refused(_, let refusal) = incoming.content { return refusal }
        return nil
    }

    /// The refusal that the log gets in the event's place (rule E2).
    func refused(
        _ incoming: IncomingEvent, at place: OfferedPlace, _ frame: AppendContext, code: String, _ message: String
    ) -> Judged {
        let body = EventBody.eventRefused(EventRefused(type: incoming.envelope.type, code: code, message: message))
        let event = event(incoming, at: place, frame, frame.session.identity.scope.app, body)
        return Judged(event: event, refusal: (code, message), logged: LoggedPayload(body))
    }

    /// The device's event as the fold takes it, at the next version of its user.
    func event(
        _ incoming: IncomingEvent, at place: OfferedPlace, _ frame: AppendContext, _ app: AppID?, _ body: EventBody
    ) -> Event {
        Event(
            version: frame.user.state.version.next, device: frame.session.identity.device,
            incarnation: place.incarnation, sequence: place.sequence, id: incoming.envelope.id, app: app,
            occurredAt: incoming.envelope.occurredAt.stored, recordedAt: frame.recordedAt, body: body)
    }
}

extension IncomingEvent {
    /// The payload as the device sent it: the log keeps the device's own bytes.
    func logged(as type: EventType) -> LoggedPayload {
        LoggedPayload(type: type, schemaVersion: envelope.schemaVersion, payload: envelope.payload)
    }
}
