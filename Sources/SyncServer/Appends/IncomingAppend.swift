import FocusCore

/// An append frame whose payloads were decoded on the connection's event loop, to spare the lane.
struct IncomingAppend: Sendable {
    var firstSequence: DeviceSequence
    var events: [IncomingEvent]
    /// What it took of the inbound budget.
    var bytes: Int
    /// It is about events that came before (rules P10, S6); nil: an append.
    var healing: IncomingHealing?
}

struct IncomingEvent: Sendable {
    /// What the bytes turned out to be (rule E2).
    enum Content: Sendable {
        case decoded(EventType, EventBody)
        /// A payload that is refused whatever the state says.
        case refused(EventType, Refusal)
        /// A type, or a version of its schema, that this program does not know yet.
        case unknown
    }

    var envelope: Envelope
    var content: Content
}
