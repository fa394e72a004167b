/// Why a device's store cannot do what was asked.
public enum DeviceStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The store belongs to another user, device or scope.
    case otherOwner(stored: DeviceOwner, asked: DeviceOwner)
    /// Another process, or another `DeviceStore` of this one, has the directory open.
    case inUse(directory: String)
    /// The directory or the file in it cannot be made or opened.
    case cannotOpen(directory: String, reason: String)
    /// The queue holds so many unacknowledged events, and bytes of payloads, that the new ones exceed a limit.
    case queueFull(events: Int, bytes: Int)
    /// The payload is larger than any server accepts (rule E5).
    case payloadTooLarge(bytes: Int, limit: Int)
    /// A type or an app has more bytes than any that a server knows.
    case nameTooLong(bytes: Int, limit: Int)
    /// The store was erased, and belongs to nobody.
    case erased
    /// The file holds something that the store cannot have written.
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
        case .nameTooLong(let bytes, let limit):
            "The type or app of an event has \(bytes) bytes, and the limit is \(limit)."
        case .erased: "The store was erased and belongs to nobody. Make a new client to use it."
        case .damaged(let what):
            "The store is damaged: \(what). Remove its directory; the server has what it acknowledged."
        }
    }
}
