import FocusCore

/// Users in memory, as the log has them, and those who cannot be: whose fold failed, for a while. Bounded by bytes: the
/// least recently used are evicted, and an idle session keeps nobody here.
struct ResidentUsers {
    private var users: [UserID: CachedUser] = [:]
    /// Until when nothing is tried for them.
    private var quarantined: [UserID: MonotonicTime] = [:]
    private var nextCheck = MonotonicTime(milliseconds: 0)

    subscript(id: UserID) -> CachedUser? { users[id] }

    var all: [CachedUser] { Array(users.values) }
    var bytes: Int { users.values.reduce(0) { $0 + $1.approximateBytes } }

    // MARK: Loading

    /// The user is neither in memory nor quarantined: whoever asks for them waits until they are loaded.
    func isAwaitingLoad(_ id: UserID) -> Bool { users[id] == nil && quarantined[id] == nil }

    /// Those of the users who are to be loaded, in their order.
    func awaitingLoad(_ ids: some Sequence<UserID>) -> [UserID] { ids.filter(isAwaitingLoad).sorted() }

    mutating func insert(_ user: CachedUser) { users[user.id] = user }

    /// - Returns: the user; nil: they were not in memory.
    mutating func remove(_ id: UserID) -> CachedUser? { users.removeValue(forKey: id) }

    // MARK: Quarantine

    func isQuarantined(_ id: UserID) -> Bool { quarantined[id] != nil }

    /// Milliseconds until the user is tried again; zero: whenever somebody asks.
    func quarantineRest(of id: UserID, now: MonotonicTime) -> Int64 { max(0, (quarantined[id] ?? now) - now) }

    /// Removes the user, and keeps them out until then.
    mutating func quarantine(_ id: UserID, until time: MonotonicTime) {
        users[id] = nil
        quarantined[id] = time
    }

    /// - Returns: users who are tried again with whatever asks for them next.
    mutating func endQuarantines(now: MonotonicTime) -> [UserID] {
        guard !quarantined.isEmpty else { return [] }
        let ended = quarantined.filter { $0.value <= now }.map(\.key)
        for id in ended { quarantined[id] = nil }
        return ended
    }

    /// What is read for them is another from now on.
    mutating func endQuarantines(where isEnded: (UserID) -> Bool) {
        quarantined = quarantined.filter { !isEnded($0.key) }
    }

    // MARK: Eviction

    /// Past `limit` bytes the least recently used leave, until a quarter of it is free. Looks at most every so many
    /// milliseconds: adding the bytes up costs time in the number of users.
    /// - Returns: who left.
    mutating func evict(past limit: Int, now: MonotonicTime, every milliseconds: Int64) -> [CachedUser] {
        guard now >= nextCheck else { return [] }
        nextCheck = now.adding(milliseconds: milliseconds)
        var bytes = bytes
        guard bytes > limit else { return [] }
        var evicted: [CachedUser] = []
        for user in users.values.sorted(by: { $0.lastUsed < $1.lastUsed }) {
            guard bytes > limit * 3 / 4 else { break }
            bytes -= user.approximateBytes
            users[user.id] = nil
            evicted.append(user)
        }
        return evicted
    }
}
