/// Why a device's store cannot do what was asked.
public enum DeviceStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    case otherOwner(stored: DeviceOwner, asked: DeviceOwner)
    case inUse(directory: String)
    case cannotOpen(directory: String, reason: String)
    /// Too many unacknowledged events.
    case queueFull(events: Int, bytes: Int)
    /// Larger than any server takes.
    case payloadTooLarge(bytes: Int, limit: Int)
    /// The store holds something that it did not write.
    case damaged(String)

    public var description: String {
        switch self {
        case .otherOwner(let stored, let asked):
            "The store belongs to \(stored), the token to \(asked). Give another directory, or the right token."
        case .inUse(let directory): "\(directory) is in use by another process. Stop it, or give another directory."
        case .cannotOpen(let directory, let reason): "\(directory) cannot be opened: \(reason)."
        case .queueFull(let events, let bytes):
            "\(events) events (\(bytes) bytes) wait for the server already. Connect, then append more."
        case .payloadTooLarge(let bytes, let limit):
            "A payload of \(bytes) bytes is over the limit of \(limit). Split the event."
        case .damaged(let what):
            "The store is damaged: \(what). Remove its directory; the server has what it acknowledged."
        }
    }
}
