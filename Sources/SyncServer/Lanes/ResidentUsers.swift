import FocusCore

/// The users in memory, and the quarantined users, whose fold failed and who are kept out for a while. Bounded by
/// bytes: the least recently used are evicted, also while they have idle sessions.
struct ResidentUsers {
    private var users: [UserID: CachedUser] = [:]
    /// Each quarantined user, and when the quarantine ends.
    private var quarantined: [UserID: MonotonicTime] = [:]
    /// The users who were quarantined and have not been in memory since, with the end of their last quarantine.
    private var failed: [UserID: MonotonicTime] = [:]
    private var nextCheck = MonotonicTime(milliseconds: 0)
    /// Bytes of the users who came since the last check.
    private var arrivedBytes = 0

    subscript(id: UserID) -> CachedUser? { users[id] }

    var all: [CachedUser] { Array(users.values) }
    var count: Int { users.count }
    var quarantinedUsers: [UserID] { Array(quarantined.keys) }
    var quarantinedCount: Int { quarantined.count }
    /// About how many bytes all users take. Adds them up anew, in time proportional to their number.
    var bytes: Int { users.values.reduce(0) { $0 + $1.approximateBytes } }

    // MARK: Loading

    /// Whether the user is neither in memory nor quarantined: what needs them has to wait until they are loaded.
    func isAwaitingLoad(_ id: UserID) -> Bool { users[id] == nil && quarantined[id] == nil }

    /// Those of the users who are neither in memory nor quarantined, by their ids.
    func awaitingLoad(_ ids: some Sequence<UserID>) -> [UserID] { ids.filter(isAwaitingLoad).sorted() }

    mutating func insert(_ user: CachedUser) {
        users[user.id] = user
        if !failed.isEmpty { failed[user.id] = nil }
        arrivedBytes += user.approximateBytes
    }

    /// - Returns: the user; nil when they were not in memory.
    mutating func remove(_ id: UserID) -> CachedUser? { users.removeValue(forKey: id) }

    // MARK: Quarantine

    func isQuarantined(_ id: UserID) -> Bool { quarantined[id] != nil }

    /// Whether the user was quarantined, and has not been in memory since: they may well be quarantined again.
    func hasFailed(_ id: UserID) -> Bool { failed[id] != nil }

    /// Up to `limit` of those who were quarantined, are so no more, and have not been in memory since; whose last
    /// quarantine ended first comes first.
    func failed(limit: Int, where isWanted: (UserID) -> Bool) -> [UserID] {
        let wanted = failed.filter { quarantined[$0.key] == nil && isWanted($0.key) }
        return wanted.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(limit).map(\.key)
    }

    /// How many milliseconds the user's quarantine still lasts; zero when they are not quarantined.
    func quarantineRest(of id: UserID, now: MonotonicTime) -> Int64 { max(0, (quarantined[id] ?? now) - now) }

    /// Removes the user from memory, and keeps them out until `time`.
    mutating func quarantine(_ id: UserID, until time: MonotonicTime) {
        users[id] = nil
        quarantined[id] = time
        failed[id] = time
    }

    /// Ends the quarantines whose time is over.
    /// - Returns: their users, who are loaded again when they are needed.
    mutating func endQuarantines(now: MonotonicTime) -> [UserID] {
        guard !quarantined.isEmpty else { return [] }
        let ended = quarantined.filter { $0.value <= now }.map(\.key)
        for id in ended { quarantined[id] = nil }
        return ended
    }

    /// Ends the quarantines of these users early: they would be loaded from another generation now.
    /// - Returns: the users whose quarantine ended.
    mutating func endQuarantines(where isEnded: (UserID) -> Bool) -> [UserID] {
        let ended = quarantined.keys.filter(isEnded)
        for id in ended { quarantined[id] = nil }
        return ended
    }

    // MARK: Eviction

    /// Evicts users when all take more than `limit` bytes, until a quarter of the limit is free: first those who alone
    /// take more than a quarter, or else one of them would drive out everybody; then the least recently used.
    /// - Parameters:
    ///   - milliseconds: how long to do nothing after a check, because adding the bytes up takes its time; four times as
    ///     long where half of the limit is free. Unless an eighth of the limit has come since.
    ///   - isKept: whether a user is to stay for now.
    /// - Returns: the users who were evicted.
    mutating func evict(
        past limit: Int, now: MonotonicTime, every milliseconds: Int64,
        except isKept: (CachedUser) -> Bool = { _ in false }
    ) -> [CachedUser] {
        guard now >= nextCheck || arrivedBytes > limit / 8 else { return [] }
        var bytes = bytes
        nextCheck = now.adding(milliseconds: bytes > limit / 2 ? milliseconds : 4 * milliseconds)
        arrivedBytes = 0
        guard bytes > limit else { return [] }
        var evicted: [CachedUser] = []
        let candidates = users.values.map { (user: $0, bytes: $0.approximateBytes) }
        let order = candidates.sorted { a, b in
            let (isLarge, isOtherLarge) = (a.bytes > limit / 4, b.bytes > limit / 4)
            return isLarge != isOtherLarge ? isLarge : a.user.lastUsed < b.user.lastUsed
        }
        for (user, taken) in order where !isKept(user) {
            guard bytes > limit * 3 / 4 else { break }
            bytes -= taken
            users[user.id] = nil
            evicted.append(user)
        }
        return evicted
    }
}
