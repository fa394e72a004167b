import FocusCore

/// A lane's users, for parts that only look a user up.
protocol UserDirectory: AnyObject {
    /// Nil when the user is not in memory.
    subscript(id: UserID) -> CachedUser? { get }
    /// Whether the user is neither in memory nor quarantined: what needs them has to wait until they are loaded.
    func isAwaitingLoad(_ id: UserID) -> Bool
    /// What a session with a current cursor needs of a user who is not in memory; nil when they were not looked up.
    func outline(of id: UserID) -> OutlinedUser?
    /// Whether the user's fold failed, so that nothing is known of them for a while.
    func isQuarantined(_ id: UserID) -> Bool
    /// How many milliseconds the user's quarantine still lasts; zero when they are not quarantined.
    func quarantineRest(of id: UserID, now: MonotonicTime) -> Int64
}

extension LaneUsers: UserDirectory {
    subscript(id: UserID) -> CachedUser? { resident[id] }

    func isAwaitingLoad(_ id: UserID) -> Bool { resident.isAwaitingLoad(id) }

    func outline(of id: UserID) -> OutlinedUser? { outlines[id] }

    func isQuarantined(_ id: UserID) -> Bool { resident.isQuarantined(id) }

    func quarantineRest(of id: UserID, now: MonotonicTime) -> Int64 { resident.quarantineRest(of: id, now: now) }
}
