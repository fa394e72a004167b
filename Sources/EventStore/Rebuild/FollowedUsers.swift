import FocusCore

/// The compared users of a partition, kept in memory until its cut-over.
///
/// The cut-over holds the partition's lock, and appends wait for it. What is kept here need not be read again under
/// the lock: only the events that the log got in the meantime are.
///
/// A user who has appended since the comparison is kept with their rows in both generations, and further events are
/// folded into both. Others matter only where their rows differ, and only their notices are kept. Both kinds are
/// bounded; a user for whom there is no room is compared again under the lock.
struct FollowedUsers {
    /// The most rows of users kept whole, in both generations together: some 50 MB.
    private let rowLimit: Int
    /// The most keys of rows in notices: some 10 MB.
    private let keyLimit: Int
    private var whole: [UserID: ComparedUser] = [:]
    private var notices: [UserID: RebuildNotice] = [:]
    private var (rows, keys) = (0, 0)
    /// Users whose rows differ and for whose notice there was no room: nothing is kept of them.
    private(set) var unkept: Set<UserID> = []

    init(rowLimit: Int = 100_000, keyLimit: Int = 100_000) {
        self.rowLimit = rowLimit
        self.keyLimit = keyLimit
    }

    /// The notices of the users whose rows differ, as far as they are kept, in order of the users' ids.
    var told: [RebuildNotice] {
        let kept = notices.values + whole.values.filter { !$0.change.isEmpty }.map(\.notice)
        return kept.sorted { $0.user < $1.user }
    }

    /// Keeps the user with all their rows, or only their notice when the rows have no room. It replaces what was kept
    /// of them before.
    mutating func keep(_ user: ComparedUser) {
        forget(user.user)
        guard rows + user.rowCount <= rowLimit else { return keepNotice(user) }
        whole[user.user] = user
        rows += user.rowCount
    }

    /// Keeps only the notice of a user, who is not expected to append before the cut-over.
    mutating func keepNotice(_ user: ComparedUser) {
        forget(user.user)
        guard !user.change.isEmpty else { return }
        guard keys + user.change.rowCount <= keyLimit else {
            unkept.insert(user.user)
            return
        }
        notices[user.user] = user.notice
        keys += user.change.rowCount
    }

    mutating func forget(_ user: UserID) {
        if let known = whole.removeValue(forKey: user) { rows -= known.rowCount }
        if let known = notices.removeValue(forKey: user) { keys -= known.change.rowCount }
        unkept.remove(user)
    }

    /// Reads the events at the offsets of `range` and folds them into their users. If there are more than
    /// `PartitionFollow.tailLimit`, it reads only whose events they are, and forgets these users.
    /// - Returns: the users who are up to date again, and those who have to be compared anew.
    mutating func readTail(
        of partition: Partition, in range: Range<LogOffset>, on connection: any RebuildConnection
    ) throws -> (users: Set<UserID>, others: [UserID]) {
        let count = Int(range.upperBound.rawValue - range.lowerBound.rawValue)
        guard count <= PartitionFollow.tailLimit else {
            let users = try connection.users(partition: partition, in: range).map(\.user).sorted()
            for user in users { forget(user) }
            return ([], users)
        }
        guard count > 0 else { return ([], []) }
        let (users, others) = try follow(
            connection.events(partition: partition, from: range.lowerBound, limit: count))
        return (users, others.sorted())
    }

    /// Folds events of the partition, in its order, into the users who are kept whole. Other users are forgotten: what
    /// was compared is not their last version any more.
    ///
    /// Throws `RebuildError.unfoldable`.
    /// - Returns: the users who are up to date again, and those who have to be compared anew.
    mutating func follow(_ events: [LoggedEvent]) throws -> (users: Set<UserID>, others: Set<UserID>) {
        var (users, others): (Set<UserID>, Set<UserID>) = ([], [])
        for event in events where !others.contains(event.user) {
            // The user is taken out of the table while they change; with two owners their state would be copied.
            guard var user = whole.removeValue(forKey: event.user) else {
                forget(event.user)
                others.insert(event.user)
                continue
            }
            rows -= user.rowCount
            do {
                try user.follow(event)
            } catch {
                throw RebuildError.unfoldable(user.user, after: user.loaded.state.version, reason: "\(error)")
            }
            guard rows + user.rowCount <= rowLimit else {
                // With this event the user's rows have no room any more.
                users.remove(event.user)
                others.insert(event.user)
                continue
            }
            rows += user.rowCount
            whole[event.user] = user
            users.insert(event.user)
        }
        return (users, others)
    }

    /// What the target's tables lack of the users, as far as these are kept whole.
    func projected(_ users: Set<UserID>) -> [ProjectedUser] { users.sorted().compactMap { whole[$0]?.projected } }

    mutating func markProjected(_ users: Set<UserID>) {
        for user in users { whole[user]?.markProjected() }
    }

    /// Those of the users whose rows differ between the generations.
    func different(_ users: Set<UserID>) -> Set<UserID> {
        users.filter { whole[$0].map { !$0.change.isIdentical } ?? false }
    }
}
