/// A fold that cannot go on. Its user's state is then unusable and must be dropped; the user is quarantined,
/// everybody else goes on.
public enum FoldError: Error, Hashable, Sendable {
    /// The event is not the next of the user's stream.
    case versionGap(expected: Version, found: Version)
    /// The event is not the next of its device's incarnation (rule E1).
    case sequenceGap(device: DeviceID, expected: DeviceSequence, found: DeviceSequence)
    /// The event has no app, although its type needs one.
    case appMissing(EventType)
    /// A row of the read model is not one that this fold writes, or not in the form in which it writes it.
    case corruptRow(RowKey)
    /// An invariant between parts of the state does not hold.
    case brokenInvariant(String)
}
