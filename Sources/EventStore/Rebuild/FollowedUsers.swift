import FocusCore
import PostgresClient

/// What is known of a partition's users before its cut-over, so that under the lock only what the log got since is
/// read. Appends wait for as long as that takes.
///
/// Users with events since they were compared are kept whole and follow the log; of other users only the notice is
/// kept. Both are bounded: a user for whom there was no room is read again under the lock.
struct FollowedUsers {
    /// How many rows are kept, of both generations: some 50 MB.
    private let rowLimit: Int
    /// How many keys of rows are kept in notices: some 10 MB.
    private let keyLimit: Int
    private var whole: [UserID: ComparedUser] = [:]
    private var notices: [UserID: RebuildNotice] = [:]
    private var (rows, keys) = (0, 0)
    /// Users who differ, of whom nothing is kept.
    private(set) var unkept: Set<UserID> = []

    init(rowLimit: Int = 100_000, keyLimit: Int = 100_000) {
        self.rowLimit = rowLimit
        self.keyLimit = keyLimit
    }

    /// The notices of all users who are kept and differ, in order of their ids.
    var told: [RebuildNotice] {
        let kept = notices.values + whole.values.filter { !$0.change.isEmpty }.map(\.notice)
        return kept.sorted { $0.user < $1.user }
    }

    /// Keeps a compared user whole, in place of what was known of them; without room for that, only the notice.
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

    /// Reads the events at the offsets of `range` and folds them. If they are more than `PartitionFollow.tailLimit`,
    /// only their users are read, and forgotten.
    /// - Returns: the users who follow, and those who have to be compared anew.
    mutating func readTail(
        of partition: Partition, in range: Range<LogOffset>, on connection: PostgresConnection
    ) throws -> (users: Set<UserID>, others: [UserID]) {
        let count = Int(range.upperBound.rawValue - range.lowerBound.rawValue)
        guard count <= PartitionFollow.tailLimit else {
            let users = try LogReader().users(partition: partition, in: range, on: connection).map(\.user).sorted()
            for user in users { forget(user) }
            return ([], users)
        }
        guard count > 0 else { return ([], []) }
        let (users, others) = try follow(
            LogReader().events(partition: partition, from: range.lowerBound, limit: count, on: connection))
        return (users, others.sorted())
    }

    /// Folds events of the partition, in its order, into the users who are kept whole.
    ///
    /// Throws `RebuildError.unfoldable`.
    /// - Returns: the users who follow, and those who have to be compared anew: nothing is known of them any more.
    mutating func follow(_ events: [LoggedEvent]) throws -> (users: Set<UserID>, others: Set<UserID>) {
        var (users, others): (Set<UserID>, Set<UserID>) = ([], [])
        for event in events where !others.contains(event.user) {
            // The user is removed from the table meanwhile, or following would copy their state.
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
                // The user has grown past the room that there is.
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

    /// The rows of users that the target's tables lack, for those who are kept whole.
    func projected(_ users: Set<UserID>) -> [ProjectedUser] { users.sorted().compactMap { whole[$0]?.projected } }

    mutating func markProjected(_ users: Set<UserID>) {
        for user in users { whole[user]?.markProjected() }
    }

    /// The users of these whose rows are not the same.
    func different(_ users: Set<UserID>) -> Set<UserID> {
        users.filter { whole[$0].map { !$0.change.isIdentical } ?? false }
    }
}
