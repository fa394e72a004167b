import EventStore
import FocusCore
import FocusWire
import Foundation

/// Rule S6: devices give a log that lost its tail what it had acknowledged. Everything goes the way of appends: sequences
/// are checked, batches compared and swapped, so two devices may heal at once, one may heal twice, and others append
/// meanwhile.
extension LaneWorker {
    /// The longest code of a refusal that a device may bring back; the message is bounded as other texts are (E5).
    private static let codeBytes = 64

    // MARK: Whether there is something to heal

    /// A cursor that is ahead of a state may come from another server's commit: look before it is called lost.
    func catchUpWithCursors() throws {
        var partitions: Set<Partition> = []
        for (_, opening) in sessions.waiting {
            guard let user = users[opening.identity.user], let cursor = opening.cursor,
                cursor.log == context.log.log, cursor.version > user.state.version
            else { continue }
            partitions.insert(user.partition)
        }
        guard !partitions.isEmpty else { return }
        for partition in partitions.sorted() { try catchUp(partition) }
        try loadMissingUsers()
    }

    /// The cursor, if it can be continued from (rules S4, S5), and whether it names an event that this log once had and
    /// has not any more (rule S6). Without a cursor: a snapshot.
    func standing(_ cursor: Cursor?, _ view: View, _ user: CachedUser) -> (cursor: Cursor?, logIsBehind: Bool) {
        guard let cursor, cursor.log == context.log.log else { return (nil, false) }
        guard cursor.version <= user.state.version else { return (nil, true) }
        if cursor.version > .zero {
            var event = user.state.lastEvent
            if cursor.version < user.state.version {
                do {
                    guard let found = try store.event(of: user.id, partition: user.partition, at: cursor.version)
                    else { return (nil, true) }
                    event = found
                } catch {
                    // When the log cannot be asked, a snapshot is always right.
                    return (nil, false)
                }
            }
            guard event == cursor.event else { return (nil, true) }
        }
        let isAccepted = Subscription.accepts(cursor, view: view, log: context.log.log, state: user.state)
        return (isAccepted ? cursor : nil, false)
    }

    // MARK: Re-offered events

    func subject(of request: AppendContext) -> ReceiptSubject {
        let identity = request.session.identity
        return ReceiptSubject(
            log: context.log.log, user: identity.user, device: identity.device, incarnation: request.incarnation,
            scope: identity.scope)
    }

    func otherIncarnation(_ request: IncomingAppend, _ session: LaneSession) -> Incarnation? {
        request.healing.flatMap { $0.incarnation == session.incarnation ? nil : $0.incarnation }
    }

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
    func heal(_ incoming: IncomingEvent, _ event: Event, _ place: Place, _ scope: Scope) -> Judged? {
        switch place.offered {
        case nil: return nil
        case .refused(let code, let message):
            guard code.utf8.count <= Self.codeBytes, message.utf8.count <= EventLimits.stringBytes else { return nil }
            var event = event
            event.isHealed = place.isProved
            return refused(event, incoming.envelope, scope, code: code, message)
        case .accepted:
            guard place.isProved, case .decoded(let type, let body) = incoming.content,
                incoming.envelope.app == nil || event.app != nil
            else { return nil }
            var event = event
            event.body = body
            event.isHealed = true
            let envelope = incoming.envelope
            return Judged(event: event, refusal: nil, logged: (type, envelope.schemaVersion, envelope.payload))
        }
    }

    // MARK: Lost events

    /// What nobody holds any more is an event of its own: its sequences are empty places.
    func stage(
        _ lost: LostEvents, _ request: AppendContext, _ answer: inout AppendStaging.Answer,
        into staging: inout AppendStaging
    ) {
        let (session, user) = (request.session, request.user)
        let device = session.identity.device
        let last = user.state.lastSequence(of: device, incarnation: lost.incarnation)
        if lost.first > last.next {
            let message = "Events before these are missing. Send from \(last.next), or say that they are lost."
            answer.error = ProtocolError(.sequenceGap, message, expected: last.next, sequence: lost.first)
        } else if lost.last > last, request.isEnded {
            answer.error = ProtocolError(
                .sequenceConflict, "The incarnation has ended: nothing of it is missing.", sequence: lost.first)
        } else if lost.last > last {
            let body = EventBody.deviceEventsLost(DeviceEventsLost(first: last.next, last: lost.last))
            let event = Event(
                version: user.state.version.next, device: device, incarnation: lost.incarnation, sequence: lost.last,
                id: EventID(UUID()), app: session.identity.scope.app, occurredAt: request.recordedAt,
                recordedAt: request.recordedAt, body: body)
            if !record(event, (body.type, 1, PayloadCodec.encode(body)), user, into: &staging) {
                answer.error = userQuarantined(user.id)
            }
        }
        guard answer.error == nil, lost.first <= last.next else { return }
        answer.appended = Appended(
            throughSequence: lost.last, version: user.state.version, refused: [],
            incarnation: lost.incarnation == session.incarnation ? nil : lost.incarnation)
    }
}
