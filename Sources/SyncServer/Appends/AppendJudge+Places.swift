import EventStore
import FocusCore
import FocusWire

/// Rules E1 and P2: an event that comes for a place which has one is compared with what the log holds there, however
/// long ago that was logged.
extension AppendJudge {
    /// The frame's places that have to be looked up in the log before it can be judged. Nil: what they hold is known.
    func unknownPlaces(of frame: AppendContext) -> ClosedRange<DeviceSequence>? {
        guard let places = frame.earlierPlaces else { return nil }
        guard let found = frame.append.found, found.places.lowerBound <= places.lowerBound,
            found.places.upperBound >= places.upperBound
        else { return places }
        // A lost place may have got its event since the look-up.
        let filledAt = frame.user.state.lastFill(of: frame.session.identity.device, incarnation: frame.incarnation)
        return found.filledAt == filledAt ? nil : places
    }

    /// Judges an event whose place has one: the same event is answered as the first time, and another is a conflict.
    func earlier(
        _ incoming: IncomingEvent, at place: OfferedPlace, _ frame: AppendContext, _ receipts: inout ReceiptRun
    ) -> Step {
        guard let held = frame.append.found?.event(incoming.envelope.id, at: place.sequence) else {
            return taken(place, frame)
        }
        // A receipt is given only for the very contents that were logged. One for other contents would let them into a
        // healed log without being judged.
        if held.isWhole, let outcome = held.logged.outcome(of: incoming.envelope) {
            receipts.add(incoming.envelope, outcome, at: place.sequence)
        }
        return Step(held.outcome)
    }

    /// What becomes of an event whose place has another event, or takes none any more. An append stops there (rule P3).
    /// A re-offered event is refused alone (rule S6), except in protocol version 1, where the re-offer stops there too.
    func taken(_ place: OfferedPlace, _ frame: AppendContext) -> Step {
        let code = ErrorCode.sequenceConflict
        if frame.append.request.healing != nil, frame.session.protocolVersion >= 2 {
            return .refused(
                code: code.rawValue, message: "Its place has another event, or gets none any more. Recall it.")
        }
        let message =
            "Another event has this place, or the incarnation has ended. Recall what has no answer: it may be logged."
        return .stopped(ProtocolError(code, message, sequence: place.sequence))
    }

    // MARK: Recall

    /// How many bytes of UTF-8 the refusals' texts in one answer may take. The device recalls again what does not fit.
    private static let recalledTextBytes = 256 * 1024

    /// The answer to a recall of an incarnation that has ended (rule P10): the outcome of each event that the log holds
    /// at its place, for a prefix of the events asked about.
    func recalled(_ recall: Recall, _ frame: AppendContext) -> Recalled {
        var outcomes: [Outcome?] = []
        var receipts = ReceiptRun(key: receiptKey, subject: subject(of: frame))
        var textBytes = 0
        for (index, id) in recall.events.enumerated() {
            let sequence = recall.firstSequence.advanced(by: index)
            guard let held = frame.append.found?.event(id, at: sequence) else {
                outcomes.append(nil)
                continue
            }
            if case .refused(let code, let message) = held.outcome {
                textBytes += code.utf8.count + message.utf8.count
                if textBytes > Self.recalledTextBytes, !outcomes.isEmpty { break }
            }
            outcomes.append(held.outcome)
            if held.isWhole, let (envelope, outcome) = held.logged.envelope() {
                receipts.add(envelope, outcome, at: sequence)
            }
        }
        return Recalled(
            incarnation: recall.incarnation, firstSequence: recall.firstSequence, outcomes: outcomes,
            version: frame.session.version(frame.user), receipts: receipts.finish())
    }
}

extension LoggedEvent {
    /// The outcome of the envelope, if it has the very contents that were logged as this event. Nil when the contents
    /// differ, or when this is the refusal of a repeat (`alreadyLogged`), which only takes a place.
    func outcome(of envelope: Envelope) -> Outcome? {
        guard id == envelope.id, occurredAt == envelope.occurredAt.stored else { return nil }
        guard type == EventType.eventRefused.rawValue else {
            let isSame =
                type == envelope.type && app == envelope.app.flatMap(AppID.init) && payload == envelope.payload
                && schemaVersion == envelope.schemaVersion
            return isSame ? .accepted : nil
        }
        guard case .eventRefused(let refused) = try? decoded().body, refused.type == envelope.type,
            refused.code != RefusalCode.alreadyLogged.rawValue
        else { return nil }
        return Outcome.refused(code: refused.code, message: refused.message).bounded
    }

    /// The envelope that the event came in, as far as receipts cover it, and its outcome. Nil when this is the refusal
    /// of a repeat (`alreadyLogged`), which only takes a place.
    fileprivate func envelope() -> (Envelope, Outcome)? {
        var (type, outcome) = (type, Outcome.accepted)
        if type == EventType.eventRefused.rawValue {
            guard case .eventRefused(let refused) = try? decoded().body,
                refused.code != RefusalCode.alreadyLogged.rawValue
            else { return nil }
            type = refused.type
            outcome = Outcome.refused(code: refused.code, message: refused.message).bounded
        }
        let envelope = Envelope(
            id: id, type: type, app: app?.rawValue, occurredAt: occurredAt, schemaVersion: schemaVersion,
            payload: payload)
        return (envelope, outcome)
    }
}
