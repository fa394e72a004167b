/// What became of an event.
public enum Outcome: Hashable, Sendable {
    case accepted
    case refused(code: String, message: String)
}

/// How the place that a device offers an event for relates to what its log holds (rule E1).
public enum SequenceCheck: Hashable, Sendable {
    /// It is the next one.
    case next
    /// It has an event, which the log names (`PlaceLookup`).
    case earlier
    /// Its event was declared lost, and nothing stands there (rule S6).
    case lost
    /// Events in between are missing.
    case gap(expected: DeviceSequence)
}
