import FocusCore
import FocusWire

extension IncomingAppend {
    /// - Parameters:
    ///   - events: those of the request; nil: they are decoded now.
    ///   - charge: what the frame was charged to the inbound budget.
    init(_ request: AppendRequest, _ events: [IncomingEvent]?, charge: InboundCharge) {
        self.init(
            firstSequence: request.firstSequence,
            events: events ?? request.envelopes.map(IncomingEvent.init(decoding:)), charge: charge)
    }
}

extension IncomingEvent {
    /// Never fails: a payload that does not decode becomes a refusal, which the log gets in its place (rule E2).
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
