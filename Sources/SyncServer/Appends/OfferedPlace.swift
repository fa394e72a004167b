import FocusCore

/// The place that a device offers an event for, and what it claims about the event.
struct OfferedPlace {
    var sequence: DeviceSequence
    var incarnation: Incarnation
    /// The outcome that the event had before the log lost it, as the device says; nil for an event that is appended.
    var offered: Outcome?
    /// Whether a genuine receipt proves that the event was logged with that outcome.
    var isProved: Bool

    init(sequence: DeviceSequence, incarnation: Incarnation, _ offer: (outcome: Outcome, isProved: Bool)?) {
        self.sequence = sequence
        self.incarnation = incarnation
        offered = offer?.outcome
        isProved = offer?.isProved ?? false
    }
}
