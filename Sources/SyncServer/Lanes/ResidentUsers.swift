import DequeModule
import FocusCore

/// The users in memory, and the quarantined users, whose fold failed and who are kept out for a while. Bounded by
/// bytes: who was not used for long is evicted, also while they have idle sessions. Nothing here takes time in proportion
/// to the number of users, unless it says so: all appends would wait for it.
struct ResidentUsers {
    /// A user's place in the order of eviction.
    private struct Place {
        let id: UserID
        /// Tells the user from an earlier one of this id, who left.
        let arrival: Int
        /// When the user was last used before they got this place.
        let lastUsed: Int64

        init(_ user: CachedUser) { (id, arrival, lastUsed) = (user.id, user.arrival, user.lastUsed) }
    }

    /// The bytes that all may take.
    private let limit: Int
    private var users: [UserID: CachedUser] = [:]
    /// Whom eviction looks at next comes first. Who left may still have a place.
    private var order: Deque<Place> = []
    /// Who alone takes more than a quarter of the limit.
    private var large: Set<UserID> = []
    /// About how many bytes all users take, as they were last counted.
    private(set) var bytes = 0
    /// The bytes passed the limit, and a quarter of it is not free yet.
    private var isEvicting = false
    /// How many users came.
    private var arrivals = 0
    /// How many of them had come when eviction last looked at some.
    private var arrivalsBefore = 0
    /// Each quarantined user, and when the quarantine ends.
    private var quarantined: [UserID: MonotonicTime] = [:]
    /// The users who were quarantined and have not been in memory since, with the end of their last quarantine.
    private var failed: [UserID: MonotonicTime] = [:]

    init(limit: Int) { self.limit = limit }

    subscript(id: UserID) -> CachedUser? { users[id] }

    var all: [CachedUser] { Array(users.values) }
    var count: Int { users.count }
    var quarantinedUsers: [UserID] { Array(quarantined.keys) }
    var quarantinedCount: Int { quarantined.count }

    // MARK: Loading

    /// Whether the user is neither in memory nor quarantined: what needs them has to wait until they are loaded.
    func isAwaitingLoad(_ id: UserID) -> Bool { users[id] == nil && quarantined[id] == nil }

    /// Those of the users who are neither in memory nor quarantined, by their ids.
    func awaitingLoad(_ ids: some Sequence<UserID>) -> [UserID] { ids.filter(isAwaitingLoad).sorted() }

    mutating func insert(_ user: CachedUser) {
        remove(user.id)
        users[user.id] = user
        if !failed.isEmpty { failed[user.id] = nil }
        user.countedBytes = 0
        recount(user)
        arrivals += 1
        user.arrival = arrivals
        if order.count > 2 * users.count { order = order.filter(holds) }
        order.append(Place(user))
    }

    mutating func remove(_ id: UserID) {
        guard let user = users.removeValue(forKey: id) else { return }
        bytes -= user.countedBytes
        if !large.isEmpty { large.remove(id) }
    }

    /// Counts the bytes of a user anew whose state or dirty rows have changed, if they are in memory.
    mutating func recount(_ user: CachedUser) {
        guard users[user.id] === user else { return }
        let counted = user.approximateBytes
        bytes += counted - user.countedBytes
        user.countedBytes = counted
        if counted > limit / 4 { large.insert(user.id) } else if !large.isEmpty { large.remove(user.id) }
    }

    private func holds(_ place: Place) -> Bool { users[place.id]?.arrival == place.arrival }

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
        remove(id)
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

    /// How many users eviction looks at in a call, beside two for each who came.
    private static let looks = 64

    /// Evicts some users when all take more than the limit, call by call until a quarter of it is free: first those who
    /// alone take more than a quarter, or else one of them would drive out everybody; then those who were not used since
    /// they came, or since eviction last looked at them, in that order.
    /// - Parameters:
    ///   - taken: bytes of the limit that are taken by others.
    ///   - isKept: whether a user is to stay for now.
    /// - Returns: the users who were evicted.
    mutating func evict(beside taken: Int = 0, except isKept: (CachedUser) -> Bool = { _ in false }) -> [CachedUser] {
        let limit = limit - taken
        var looks = Self.looks + 2 * (arrivals - arrivalsBefore)
        arrivalsBefore = arrivals
        if bytes > limit { isEvicting = true }
        guard isEvicting else { return [] }
        var evicted: [CachedUser] = []
        for user in large.sorted().compactMap({ users[$0] }) where bytes > limit * 3 / 4 && !isKept(user) {
            remove(user.id)
            evicted.append(user)
        }
        while bytes > limit * 3 / 4, looks > 0, let place = order.popFirst() {
            looks -= 1
            guard holds(place), let user = users[place.id] else { continue }
            guard user.lastUsed == place.lastUsed, !isKept(user) else {
                order.append(Place(user))
                continue
            }
            remove(user.id)
            evicted.append(user)
        }
        isEvicting = bytes > limit * 3 / 4
        return evicted
    }
}
