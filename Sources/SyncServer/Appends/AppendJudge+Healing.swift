import EventStore
import FocusCore
import FocusWire
import Foundation

/// Rule S6: devices bring a log that lost its tail the events that it had acknowledged. Such events are staged like
/// appends, with the same checks of sequences and the same compare-and-swap, and with the same quotas unless a receipt
/// proves them. So two devices may heal the log at once, one may heal it twice, and others may append meanwhile.
extension AppendJudge {
    /// The longest code, in bytes of UTF-8, of a refusal that a device may bring back.
    static let codeBytes = 64

    /// For each event of a re-offer, the outcome that the device claims, and whether the receipt proves it. Nil when
    /// the request is no re-offer.
    /// - Parameter run: has the key and the subject that the receipt must be of.
    func offer(_ request: IncomingAppend, _ run: ReceiptRun) -> [(outcome: Outcome, isProved: Bool)]? {
        guard case .reoffer(_, let outcomes, let code) = request.healing else { return nil }
        var isProved = false
        if let key = run.key, !code.isEmpty {
            var hash = EnvelopeHash()
            for (event, outcome) in zip(request.events, outcomes) { hash.add(event.envelope, outcome) }
            let through = request.firstSequence.advanced(by: request.events.count - 1)
            let receipt = Receipt(first: request.firstSequence, through: through, code: code)
            isProved = key.accepts(receipt, of: run.subject, hash: hash)
        }
        return outcomes.map { ($0, isProved) }
    }

    /// Decides what becomes of a re-offered event: one that is proved to have been accepted is logged without being
    /// judged again, and one that was refused stays refused. Nil when the event is to be judged like a new one.
    ///
    /// A refusal needs no proof: with a false one the device only keeps its own event out of the log.
    func heal(_ incoming: IncomingEvent, at place: OfferedPlace, _ frame: AppendContext, _ app: AppID?) -> Judged? {
        switch place.offered?.bounded {
        case nil: return nil
        case .refused(let code, let message):
            guard code.utf8.count <= Self.codeBytes else { return nil }
            var refused = refused(incoming, at: place, frame, code: code, message)
            refused.event.isHealed = place.isProved
            // No new receipt is given: the device keeps the one that covers the text as it was.
            if place.isProved, case .refused(_, let whole) = place.offered { refused.refusal?.message = whole }
            return refused
        case .accepted:
            guard place.isProved, case .decoded(let type, let body) = incoming.content,
                incoming.envelope.app == nil || app != nil
            else { return nil }
            var event = event(incoming, at: place, frame, app, body)
            event.isHealed = true
            return Judged(event: event, refusal: nil, logged: incoming.logged(as: type))
        }
    }

    /// Stages a declaration of loss: an event of its own, whose sequences become lost places. What the log holds
    /// already of its range stays, and is no error.
    func stage(
        _ lost: LostEvents, _ frame: AppendContext, _ answer: inout AppendStaging.Answer,
        into staging: inout AppendStaging
    ) throws(FoldFailure) {
        let (session, user) = (frame.session, frame.user)
        let device = session.identity.device
        let last = user.state.lastSequence(of: device, incarnation: lost.incarnation)
        if lost.first > last.next {
            let message = "Events before these are missing. Send from \(last.next), or say that they are lost."
            answer.error = ProtocolError(.sequenceGap, message, expected: last.next, sequence: lost.first)
        } else if lost.last > last, frame.isEnded {
            answer.error = ProtocolError(
                .sequenceConflict, "The incarnation has ended: nothing of it is missing.", sequence: lost.first)
        } else if lost.last > last {
            let body = EventBody.deviceEventsLost(DeviceEventsLost(first: last.next, last: lost.last))
            let (logged, quota) = (LoggedPayload(body), QuotaKey(session.identity))
            var room = room(of: quota, staging)
            answer.error = room.exceeded(payloadBytes: logged.payload.count, at: lost.first)
            guard answer.error == nil else { return }
            let event = Event(
                version: user.state.version.next, device: device, incarnation: lost.incarnation, sequence: lost.last,
                id: EventID(UUID()), app: session.identity.scope.app, occurredAt: frame.recordedAt,
                recordedAt: frame.recordedAt, body: body)
            try record(event, logged, user, into: &staging)
            room.use(payloadBytes: logged.payload.count)
            staging.use(room.used, by: quota)
        }
        guard answer.error == nil, lost.first <= last.next else { return }
        answer.appended = Appended(
            throughSequence: lost.last, version: session.version(user), refused: [],
            incarnation: lost.incarnation == session.incarnation ? nil : lost.incarnation)
    }
}
