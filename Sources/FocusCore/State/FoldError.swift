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

extension FoldError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .versionGap(let expected, let found):
            "The events go on with version \(found) where \(expected) is expected."
        case .sequenceGap(let device, let expected, let found):
            "The events of device \(device) go on with number \(found) where \(expected) is expected."
        case .appMissing(let type): "An event \(type.rawValue) names no app."
        case .corruptRow(let key): "The row \(key) is not as this fold writes it."
        case .brokenInvariant(let what): "Parts of the state contradict one another: \(what)."
        }
    }
}
