import FocusCore
import FocusWire

extension IncomingAppend {
    init(_ request: AppendRequest, bytes: Int) {
        self.init(
            firstSequence: request.firstSequence, events: request.envelopes.map(IncomingEvent.init(decoding:)),
            bytes: bytes)
    }
}

extension IncomingEvent {
    /// A payload that does not decode is a fact, not a failure (rule E2).
    init(decoding envelope: Envelope) {
        self.envelope = envelope
        guard let type = EventType(rawValue: envelope.type) else {
            content = .unknown
            return
        }
        guard envelope.payload.count <= EventLimits.payloadBytes else {
            let bound = "A payload holds at most \(EventLimits.payloadBytes) bytes."
            content = .refused(type, Refusal(.payloadTooLarge, bound))
            return
        }
        do {
            let version = envelope.schemaVersion
            content = .decoded(type, try PayloadCodec.decode(type, schemaVersion: version, envelope.payload))
        } catch {
            switch error {
            case .unknownSchemaVersion: content = .unknown
            case .malformed: content = .refused(type, error.refusal)
            }
        }
    }
}
