import FocusCore

/// When something falls due for users of a lane (rules T1, T3): for those in memory, and for those behind whom the read
/// model is. Of everybody else `users.due_at` says it, which `scan` goes through.
struct DueSchedule {
    /// Nothing is due before the user's next event.
    private static let never = Timestamp(microseconds: .max)

    private var times: [UserID: Timestamp] = [:]
    var scan = DueScan()
    /// Nothing is looked for before.
    private(set) var nextLook = MonotonicTime(milliseconds: 0)

    /// When something is due for the user; nil: never, or that is not known.
    subscript(user: UserID) -> Timestamp? { times[user].flatMap { $0 == Self.never ? nil : $0 } }

    func knows(_ user: UserID) -> Bool { times[user] != nil }

    // MARK: Looking

    mutating func look(at time: MonotonicTime) { nextLook = time }

    /// Users for whom something is due, of those that `isWanted` accepts, whoever they are.
    func users(due now: Timestamp, limit: Int, where isWanted: (UserID) -> Bool) -> [UserID] {
        var found: [UserID] = []
        for (user, time) in times where time <= now && isWanted(user) {
            guard found.count < limit else { break }
            found.append(user)
        }
        return found
    }

    // MARK: Scheduling

    /// - Parameter time: nil: nothing is due before the user's next event.
    mutating func schedule(_ user: UserID, at time: Timestamp?) { times[user] = time ?? Self.never }

    /// The user's next event, or loading them, tells.
    mutating func forget(_ user: UserID) { times[user] = nil }

    /// Whether changes to these rows may move what is due for a user: the two carry all that their timers depend on.
    static func depends(on keys: some Sequence<RowKey>) -> Bool {
        keys.contains { $0.collection == .activeFocus || $0.collection == .deliverySchedule }
    }
}
