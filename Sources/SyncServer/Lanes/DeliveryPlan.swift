import DequeModule
import FocusCore

/// What a lane is to send, and when: rows to sessions whose users may have to be loaded first, and checkpoints some
/// time after rows (rule S9).
struct DeliveryPlan {
    /// Users whose sessions await rows.
    private(set) var users: Set<UserID> = []
    /// Since when they await them.
    private var since: [UserID: PreciseTime] = [:]
    private var checkpoints: Deque<(at: MonotonicTime, session: UInt64)> = []
    /// Checkpoints that are due at once, in the order in which they were asked for.
    private var prompt: Deque<(at: MonotonicTime, session: UInt64)> = []
    /// Sessions with an entry in `checkpoints` or `prompt`.
    private var planned: Set<UInt64> = []
    /// Sessions whose checkpoint was due while their user was not in memory. It goes out as soon as the user is.
    private var overdue: Set<UInt64> = []

    // MARK: Rows

    /// - Parameter now: since when, unless they were awaited before; nil where nobody measures.
    mutating func awaitRows(_ user: UserID, now: PreciseTime? = nil) {
        guard users.insert(user).inserted else { return }
        since[user] = now
    }

    /// Removes and returns since when rows of the user were awaited, after they were dequeued.
    mutating func takeBeginning(of user: UserID) -> PreciseTime? { since.removeValue(forKey: user) }

    /// Removes and returns the users for whom `isReady` says that rows can be sent now.
    mutating func dequeueUsers(where isReady: (UserID) -> Bool) -> [UserID] {
        let ready = users.filter(isReady)
        users.subtract(ready)
        return Array(ready)
    }

    // MARK: Checkpoints

    /// Plans a checkpoint for the session after so many milliseconds, which are the same for all that wait; at once
    /// after 0, or when it is overdue. Has no effect while one is planned.
    mutating func awaitCheckpoint(_ session: UInt64, now: MonotonicTime, after milliseconds: Int64) {
        guard planned.insert(session).inserted else { return }
        if overdue.remove(session) != nil {
            checkpoints.prepend((now, session))
        } else if milliseconds == 0 {
            prompt.append((now, session))
        } else {
            checkpoints.append((now.adding(milliseconds: milliseconds), session))
        }
    }

    /// Removes and returns the session whose checkpoint has been due longest; nil when none is due.
    mutating func dequeueCheckpoint(due now: MonotonicTime) -> UInt64? {
        guard let at = nextCheckpoint, at <= now else { return nil }
        let session = prompt.first?.at == at ? prompt.removeFirst().session : checkpoints.removeFirst().session
        planned.remove(session)
        return session
    }

    /// Puts back a checkpoint that was dequeued and is not made yet. It is the next one again.
    mutating func postponeCheckpoint(_ session: UInt64, due now: MonotonicTime) {
        planned.insert(session)
        checkpoints.prepend((now, session))
    }

    /// Records that the session's checkpoint was due and could not be made, because its user is not in memory. When it
    /// is planned again, it goes out first.
    mutating func checkpointIsOverdue(_ session: UInt64) { overdue.insert(session) }

    /// When the first checkpoint is due; nil when none is planned.
    var nextCheckpoint: MonotonicTime? { [prompt.first?.at, checkpoints.first?.at].compactMap(\.self).min() }

    /// Forgets a session that has ended. A checkpoint that is planned for it stays, and finds no session when it is
    /// due.
    mutating func closed(_ session: UInt64) { overdue.remove(session) }
}
