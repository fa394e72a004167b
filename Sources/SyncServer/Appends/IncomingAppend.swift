import FocusCore

/// An Append, Reoffer, Lost or Recall on its way to the lane. Its payloads are decoded on the connection's event loop,
/// to spare the lane.
struct IncomingAppend: Sendable {
    /// The sequence of the first event; the others follow densely.
    var firstSequence: DeviceSequence
    /// Empty for Lost and Recall.
    var events: [IncomingEvent]
    /// What the frame was charged to the inbound budget.
    var charge: InboundCharge
    /// What a Reoffer, Lost or Recall says of earlier events (rules P10, S6); nil for an Append.
    var healing: IncomingHealing?
    /// When its frame had come whole; nil where nobody measures.
    var arrivedAt: PreciseTime?
}

/// An event as a device sends it.
struct IncomingEvent: Sendable {
    /// What the payload's bytes turned out to be (rule E2).
    enum Content: Sendable {
        case decoded(EventType, EventBody)
        /// The payload is too large or malformed: the event is refused, whatever the state says.
        case refused(EventType, Refusal)
        /// The event is of a type, or of a version of its schema, that this program does not know yet.
        case unknown
    }

    var envelope: Envelope
    var content: Content
}

extension IncomingAppend {
    /// Whether an event of it revokes a device (rule A3).
    var revokesDevices: Bool {
        events.contains { if case .decoded(.deviceRevoked, _) = $0.content { true } else { false } }
    }
}
