import FocusCore

/// Why an incarnation cannot be continued, and a new one begins.
public enum IncarnationReason: Hashable, Sendable {
    /// The log has another event at this sequence: the store was restored from a backup, or copied (rule P3).
    case conflict(at: DeviceSequence)
    /// The log has events of this incarnation that the store does not know: it was restored from a backup, or copied
    /// (P10).
    case storeBehind(logged: DeviceSequence, known: DeviceSequence)
    /// The log takes no further event of the incarnation: a copy of the store, or this store before it was restored,
    /// has left it (rule P10).
    case ended
    /// The log lost acknowledged events and has others, or takes none any more, at their places (rule S6).
    case displaced
    /// The server has another log, which knows nothing of what was acknowledged.
    case otherLog(logged: DeviceSequence, acknowledged: DeviceSequence)

    /// Whether the server's log is the one that earlier incarnations appended to.
    public var isOfSameLog: Bool {
        switch self {
        case .conflict, .storeBehind, .ended, .displaced: true
        case .otherLog: false
        }
    }
}
