import FocusCore

/// Where an event of an append goes, and what is known of it.
struct OfferedPlace {
    var sequence: DeviceSequence
    var incarnation: Incarnation
    /// What the device says became of it before the log lost it; nil: it comes for the first time.
    var offered: Outcome?
    /// Its receipt is genuine: it was logged so.
    var isProved: Bool

    init(sequence: DeviceSequence, incarnation: Incarnation, _ offer: (outcome: Outcome, isProved: Bool)?) {
        self.sequence = sequence
        self.incarnation = incarnation
        offered = offer?.outcome
        isProved = offer?.isProved ?? false
    }
}
