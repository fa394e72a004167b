import FocusCore

/// Users in memory, for those who only look somebody up.
protocol UserDirectory: AnyObject {
    /// Nil: the user is not in memory.
    subscript(id: UserID) -> CachedUser? { get }
    /// The user is neither in memory nor quarantined: whoever asks for them waits until they are loaded.
    func isAwaitingLoad(_ id: UserID) -> Bool
    /// The user's fold failed: nothing is known of them for a while.
    func isQuarantined(_ id: UserID) -> Bool
    /// Milliseconds until a quarantined user is tried again; zero: whenever somebody asks.
    func quarantineRest(of id: UserID, now: MonotonicTime) -> Int64
}

extension LaneUsers: UserDirectory {
    subscript(id: UserID) -> CachedUser? { resident[id] }

    func isAwaitingLoad(_ id: UserID) -> Bool { resident.isAwaitingLoad(id) }

    func isQuarantined(_ id: UserID) -> Bool { resident.isQuarantined(id) }

    func quarantineRest(of id: UserID, now: MonotonicTime) -> Int64 { resident.quarantineRest(of: id, now: now) }
}
