import EventStore
import FocusCore
import FocusWire

extension LaneWorker {
    /// An event as the log gets it, and what its device is told.
    struct Judged {
        var event: Event
        var refusal: (code: String, message: String)?
        /// What the log gets: the device's bytes, or the refusal in their place (rule E2).
        var logged: (type: EventType, schemaVersion: Int32, payload: [UInt8])

        var outcome: Outcome { refusal.map { .refused(code: $0.code, message: $0.message) } ?? .accepted }
    }

    /// Decides whether the event is taken or refused (rule E2); `repeated` is what became of it before, if it came before.
    func judge(
        _ incoming: IncomingEvent, at place: Place, of session: LaneSession, _ user: CachedUser,
        recordedAt: Timestamp, repeated: Outcome?
    ) -> Judged {
        let envelope = incoming.envelope
        let scope = session.identity.scope
        let app = envelope.app.flatMap(AppID.init)
        var event = Event(
            version: user.state.version.next, device: session.identity.device, incarnation: place.incarnation,
            sequence: place.sequence, id: envelope.id, app: app, occurredAt: envelope.occurredAt.stored,
            recordedAt: recordedAt,
            body: .badgeCleared)
        if repeated == nil, let healed = heal(incoming, event, place, scope) { return healed }
        var refusal: Refusal?
        if repeated != nil {
            refusal = Refusal(.alreadyLogged, "This event was logged under an earlier incarnation.")
        } else if envelope.app != nil, app == nil {
            refusal = Refusal(.fieldInvalid, "app is not a bundle identifier.")
        } else if envelope.occurredAt < .earliestStored {
            refusal = Refusal(.clockSkew, "occurred_at is before 4714-11-24 BC")
        } else {
            switch incoming.content {
            case .decoded(_, let body):
                event.body = body
                refusal = user.reading { $0.validate(event, scope: scope) }
            case .refused(_, let found): refusal = found
            case .unknown: preconditionFailure("an unknown event stops its frame before it is judged")
            }
        }
        guard let refusal else {
            return Judged(
                event: event, refusal: nil, logged: (event.body.type, envelope.schemaVersion, envelope.payload))
        }
        return refused(event, envelope, scope, code: refusal.code.rawValue, refusal.message)
    }

    /// What the log gets in the event's place (rule E2).
    func refused(_ event: Event, _ envelope: Envelope, _ scope: Scope, code: String, _ message: String) -> Judged {
        var event = event
        event.app = scope.app
        event.body = .eventRefused(EventRefused(type: envelope.type, code: code, message: message))
        return Judged(
            event: event, refusal: (code, message), logged: (.eventRefused, 1, PayloadCodec.encode(event.body)))
    }
}
