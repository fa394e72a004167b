import EventStore
import FocusCore
import FocusWire
import Foundation

/// Rule S6: devices give a log that lost its tail what it had acknowledged. Everything goes the way of appends: sequences
/// are checked, batches compared and swapped, so two devices may heal at once, one may heal twice, and others append
/// meanwhile.
extension AppendJudge {
    /// The longest code of a refusal that a device may bring back; the message is bounded as other texts are (E5).
    private static let codeBytes = 64

    /// For each event of the request what the device says of it, and whether the receipt proves that. Nil: an append.
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

    /// What was accepted once is logged without being judged again, and what was refused stays refused. Nil: it is to be
    /// judged like an event that comes for the first time.
    ///
    /// A refusal needs no proof: it brings nothing into the log that its device could not have kept out of it.
    func heal(_ incoming: IncomingEvent, at place: OfferedPlace, _ frame: AppendContext, _ app: AppID?) -> Judged? {
        switch place.offered {
        case nil: return nil
        case .refused(let code, let message):
            guard code.utf8.count <= Self.codeBytes, message.utf8.count <= EventLimits.stringBytes else { return nil }
            var refused = refused(incoming, at: place, frame, code: code, message)
            refused.event.isHealed = place.isProved
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

    /// What nobody holds any more is an event of its own: its sequences are empty places.
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
            let event = Event(
                version: user.state.version.next, device: device, incarnation: lost.incarnation, sequence: lost.last,
                id: EventID(UUID()), app: session.identity.scope.app, occurredAt: frame.recordedAt,
                recordedAt: frame.recordedAt, body: body)
            try record(event, LoggedPayload(body), user, into: &staging)
        }
        guard answer.error == nil, lost.first <= last.next else { return }
        answer.appended = Appended(
            throughSequence: lost.last, version: user.state.version, refused: [],
            incarnation: lost.incarnation == session.incarnation ? nil : lost.incarnation)
    }
}
