import DequeModule
import FocusCore

/// What a lane is to send, and when: rows to sessions whose users may have to be loaded first, and checkpoints some
/// time after rows (rule S9).
struct DeliveryPlan {
    /// A session's checkpoint, and when it is due.
    struct Checkpoint: Hashable {
        var at: MonotonicTime
        var session: UInt64
    }

    /// Users whose sessions await rows.
    private(set) var users: Set<UserID> = []
    /// The same, in the order of their turns.
    private var order: [UserID] = []
    /// The order before users were dequeued last, and who was dequeued.
    private var before: (order: [UserID], dequeued: [UserID]) = ([], [])
    /// Since when they await them.
    private var since: [UserID: PreciseTime] = [:]
    /// Users whose sessions are sent rows in turns, because they have many, and when the next turn begins.
    private var pauses: [UserID: MonotonicTime] = [:]
    private var checkpoints: Deque<Checkpoint> = []
    /// Checkpoints that are due at once, in the order in which they were asked for.
    private var prompt: Deque<Checkpoint> = []
    /// The one that is being made, over several turns.
    private var interrupted: Checkpoint?
    /// Sessions with an entry in one of these.
    private var planned: Set<UInt64> = []
    /// Sessions whose checkpoint was due while it could not be made: their user was not in memory, or not all rows were
    /// sent. It goes out as soon as it can be.
    private var overdue: Set<UInt64> = []

    // MARK: Rows

    /// - Parameter now: since when, unless they were awaited before; nil where nobody measures.
    mutating func awaitRows(_ user: UserID, now: PreciseTime? = nil) {
        guard users.insert(user).inserted else { return }
        order.append(user)
        since[user] = now
    }

    /// Removes and returns since when rows of the user were awaited, after they were dequeued.
    mutating func takeBeginning(of user: UserID) -> PreciseTime? { since.removeValue(forKey: user) }

    /// Removes and returns the users for whom `isReady` says that rows can be sent now, in the order of their turns.
    mutating func dequeueUsers(at now: MonotonicTime, where isReady: (UserID) -> Bool) -> [UserID] {
        if !pauses.isEmpty { pauses = pauses.filter { $0.value > now } }
        let ready = order.filter { pauses[$0] == nil && isReady($0) }
        before = (order, ready)
        users.subtract(ready)
        order.removeAll { !users.contains($0) }
        return ready
    }

    /// Has the user be sent no rows until then.
    mutating func pause(_ user: UserID, until end: MonotonicTime) { pauses[user] = end }

    func isPaused(_ user: UserID, at now: MonotonicTime) -> Bool { pauses[user].map { $0 > now } ?? false }

    /// When rows can be sent to somebody who awaits them and is not being loaded; nil when there is nobody.
    func nextRows(now: MonotonicTime, _ isLoading: (UserID) -> Bool) -> MonotonicTime? {
        users.filter { !isLoading($0) }.map { pauses[$0] ?? now }.min()
    }

    /// Has those who were dequeued last and await rows again keep their places: they had no turn.
    mutating func keepTurns(of late: Set<UserID>) {
        guard !late.isDisjoint(with: users) else { return }
        let hadTurn = Set(before.dequeued).subtracting(late)
        let first = before.order.filter { users.contains($0) && !hadTurn.contains($0) }
        let isFirst = Set(first)
        order = first + order.filter { !isFirst.contains($0) }
    }

    // MARK: Checkpoints

    func isPlanned(_ session: UInt64) -> Bool { planned.contains(session) }

    /// Plans a checkpoint for the session after so many milliseconds, which are the same for all that wait; at once
    /// after 0, or when it is overdue. Has no effect while one is planned.
    mutating func awaitCheckpoint(_ session: UInt64, now: MonotonicTime, after milliseconds: Int64) {
        guard planned.insert(session).inserted else { return }
        if overdue.remove(session) != nil {
            checkpoints.prepend(Checkpoint(at: now, session: session))
        } else if milliseconds == 0 {
            prompt.append(Checkpoint(at: now, session: session))
        } else {
            checkpoints.append(Checkpoint(at: now.adding(milliseconds: milliseconds), session: session))
        }
    }

    /// Removes and returns the checkpoint that was interrupted, or else has been due longest; nil when none is due.
    mutating func dequeueCheckpoint(due now: MonotonicTime) -> Checkpoint? {
        guard let at = nextCheckpoint, at <= now else { return nil }
        let due = interrupted ?? (prompt.first?.at == at ? prompt.removeFirst() : checkpoints.removeFirst())
        interrupted = nil
        planned.remove(due.session)
        return due
    }

    /// Puts back checkpoints that were dequeued one after the other, before all that are due later.
    /// - Parameter unfinished: one that is half made: it is the next one, whoever comes meanwhile.
    mutating func putBack(_ due: [Checkpoint], behind unfinished: Checkpoint? = nil) {
        for checkpoint in due.reversed() where planned.insert(checkpoint.session).inserted {
            checkpoints.prepend(checkpoint)
        }
        guard let unfinished else { return }
        planned.insert(unfinished.session)
        interrupted = unfinished
    }

    /// Records that the session's checkpoint was due and could not be made. When it is planned again, it goes out first.
    mutating func checkpointIsOverdue(_ session: UInt64) { overdue.insert(session) }

    func isOverdue(_ session: UInt64) -> Bool { overdue.contains(session) }

    /// When the first checkpoint is due; nil when none is planned.
    var nextCheckpoint: MonotonicTime? {
        [interrupted?.at, prompt.first?.at, checkpoints.first?.at].compactMap(\.self).min()
    }

    /// Forgets a session that has ended. A checkpoint that is planned for it stays, and finds no session when it is
    /// due.
    mutating func closed(_ session: UInt64) { overdue.remove(session) }
}
