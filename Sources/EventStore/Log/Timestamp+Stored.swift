import FocusCore

extension Timestamp {
    /// The earliest moment that a `timestamptz` can hold. The latest moment of 64 bits fits.
    public static let earliestStored = Timestamp(microseconds: EventLimits.earliestMicroseconds)

    /// The moment as the log keeps it. A device may send any 64 bits; an event that happened earlier than the log can
    /// say is refused (rule E4), and its refusal is logged at the earliest moment. What is folded must be this one, so
    /// that a replay folds the same.
    public var stored: Timestamp { max(self, .earliestStored) }
}
