import FocusCore

/// When something falls due for users of a lane (rules T1, T3, T4). Holds the times of users in memory, and of users whose
/// last events the read model lacks. For all others `users.due_at` in the read model holds the time, and `scan` finds
/// them there.
struct DueSchedule {
    /// The time of a user for whom nothing is due before their next event.
    private static let never = Timestamp(microseconds: .max)

    /// Why a look waits for a user who is not in memory.
    enum Reason {
        /// The read model says that something is due for the user.
        case named
        /// The schedule says so, or does not know.
        case scheduled
    }

    private var times: [UserID: Timestamp] = [:]
    /// Users who are being loaded because something may be due for them.
    private var awaited: [UserID: Reason] = [:]
    /// Whether an awaited user has come into memory since `takeArrivals`.
    private(set) var hasArrivals = false
    var scan = DueScan()
    /// When the lane next looks for users who are due.
    private(set) var nextLook = MonotonicTime(milliseconds: 0)

    /// When something is due for the user; nil when nothing is, or when that is not known.
    subscript(user: UserID) -> Timestamp? { times[user].flatMap { $0 == Self.never ? nil : $0 } }

    /// Whether it is known when, if ever, something is due for the user.
    func knows(_ user: UserID) -> Bool { times[user] != nil }

    // MARK: Looking

    mutating func scheduleLook(at time: MonotonicTime) { nextLook = time }

    /// Up to `limit` users for whom something is due and whom `isWanted` accepts, in no order.
    func users(due now: Timestamp, limit: Int, where isWanted: (UserID) -> Bool) -> [UserID] {
        var found: [UserID] = []
        for (user, time) in times where time <= now && isWanted(user) {
            guard found.count < limit else { break }
            found.append(user)
        }
        return found
    }

    /// How many users something is due for, and since when for the one who waits longest.
    func overdue(_ now: Timestamp) -> (count: Int, since: Timestamp?) {
        var (count, since): (Int, Timestamp?) = (0, nil)
        for time in times.values where time <= now {
            count += 1
            since = min(since ?? time, time)
        }
        return (count, since)
    }

    // MARK: Waiting

    /// How many users are being loaded because something may be due for them.
    var awaitedCount: Int { awaited.count }

    func awaits(_ user: UserID) -> Bool { awaited[user] != nil }

    /// Records that the user is being loaded because something may be due for them.
    mutating func wait(for user: UserID, _ reason: Reason) {
        if awaited[user] != .named { awaited[user] = reason }
    }

    /// Ends the wait for the user.
    /// - Returns: why they were awaited; nil when they were not.
    mutating func arrived(_ user: UserID) -> Reason? {
        guard let reason = awaited.removeValue(forKey: user) else { return nil }
        hasArrivals = true
        return reason
    }

    /// Records that the users who arrived are looked at.
    mutating func takeArrivals() { hasArrivals = false }

    // MARK: Scheduling

    /// - Parameter time: when something is due; nil when nothing is before the user's next event.
    mutating func schedule(_ user: UserID, at time: Timestamp?) { times[user] = time ?? Self.never }

    /// Forgets the user's time, until they are loaded or an event is folded into their state.
    mutating func forget(_ user: UserID) { times[user] = nil }

    /// Whether changes to these rows may move what is due for a user. Rows of these collections are all that it depends
    /// on.
    static func depends(on keys: some Sequence<RowKey>) -> Bool {
        keys.contains {
            switch $0.collection {
            case .activeFocus, .deliverySchedule, .alerts, .classAlerts: true
            default: false
            }
        }
    }
}
