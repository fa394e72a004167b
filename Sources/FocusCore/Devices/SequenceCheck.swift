/// What became of an event.
public enum Outcome: Hashable, Sendable {
    case accepted
    case refused(code: String, message: String)
}

/// How an event that a device offers stands to what its log holds (rule E1).
public enum SequenceCheck: Hashable, Sendable {
    /// It is the next one.
    case next
    /// It was logged before; nil: so long ago that the answer is not remembered.
    case duplicate(Outcome?)
    /// The sequence is the next one, but the event was logged before, by another incarnation of the device.
    case repeated(Outcome)
    /// The sequence was logged with another event.
    case conflict
    /// Events in between are missing.
    case gap(expected: DeviceSequence)
}
