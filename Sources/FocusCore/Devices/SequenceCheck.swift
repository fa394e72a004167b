/// The answer to an event: accepted or refused.
public enum Outcome: Hashable, Sendable {
    case accepted
    case refused(code: String, message: String)
}

/// What the log has at the place for which a device offers an event (rule E1).
public enum SequenceCheck: Hashable, Sendable {
    /// Nothing: it is the next place of the incarnation.
    case next
    /// An event. The log says which one (`PlaceLookup`).
    case earlier
    /// Nothing: the device declared the event lost, and no event has filled the place since (rule S6).
    case lost
    /// Nothing, and events before it are missing.
    case gap(expected: DeviceSequence)
}
