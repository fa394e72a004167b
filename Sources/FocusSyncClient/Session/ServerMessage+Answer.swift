import FocusCore

extension ServerMessage {
    /// Whether it may answer events, questions or offers of this device.
    var isAnswer: Bool {
        switch self {
        case .appended, .recalled, .error: true
        case .welcome, .snapshotBegin, .snapshotRows, .snapshotEnd, .deltaBegin, .deltaRows, .deltaEnd, .delta,
            .checkpoint, .ping, .pong, .tokenExpiry, .fetched, .peerStatuses, .goAway, .unknown:
            false
        }
    }
}
