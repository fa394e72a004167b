/// A fold that cannot go on. Its user's state is then unusable and must be dropped; the user is quarantined,
/// everybody else goes on.
public enum FoldError: Error, Hashable, Sendable {
    /// The event is not the next of the user's stream.
    case versionGap(expected: Version, found: Version)
    /// The event is not the next of its device's incarnation (rule E1).
    case sequenceGap(device: DeviceID, expected: DeviceSequence, found: DeviceSequence)
    /// An event without the app that its type is of.
    case appMissing(EventType)
    /// A row of the read model that this fold did not write, or not so.
    case corruptRow(RowKey)
    /// What must hold between parts of the state does not.
    case brokenInvariant(String)
}
