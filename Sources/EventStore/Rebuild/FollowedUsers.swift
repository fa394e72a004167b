import FocusCore
import PostgresClient

/// What is known of a partition's users before its cut-over, so that under the lock only what the log got since is read.
/// Appends wait for as long as that takes.
///
/// Users with events since they were compared are kept whole and follow the log; of others only what is to be told. Both
/// are bounded: whom there was no room for is read again under the lock.
struct FollowedUsers {
    /// Rows that are kept, of both generations: some 50 MB.
    private let rowLimit: Int
    /// Keys of rows that are to be told: some 10 MB.
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

    /// What is to be told of everybody who is kept and differs.
    var told: [RebuildNotice] {
        let kept = notices.values + whole.values.filter { !$0.change.isEmpty }.map(\.notice)
        return kept.sorted { $0.user < $1.user }
    }

    /// In place of what was known of the user.
    mutating func keep(_ user: ComparedUser) {
        forget(user.user)
        guard rows + user.rowCount <= rowLimit else { return keepNotice(user) }
        whole[user.user] = user
        rows += user.rowCount
    }

    /// As `keep`, of somebody who is not expected to append before the cut-over.
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

    /// Reads what the log holds at the offsets of `range`, as far as that is little, and folds it.
    /// - Returns: who follows, and who has to be compared anew.
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

    /// Folds events of the partition, in its order, into those who are kept whole.
    ///
    /// Throws `RebuildError.unfoldable`.
    /// - Returns: who follows, and who has to be compared anew: nothing is known of them any more.
    mutating func follow(_ events: [LoggedEvent]) throws -> (users: Set<UserID>, others: Set<UserID>) {
        var (users, others): (Set<UserID>, Set<UserID>) = ([], [])
        for event in events where !others.contains(event.user) {
            // Out of the table, or following would copy the user's state.
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

    /// What the target's tables lack of users who are kept whole.
    func projected(_ users: Set<UserID>) -> [ProjectedUser] { users.sorted().compactMap { whole[$0]?.projected } }

    mutating func noteProjected(_ users: Set<UserID>) {
        for user in users { whole[user]?.noteProjected() }
    }

    /// Who of them differs.
    func different(_ users: Set<UserID>) -> Set<UserID> {
        users.filter { whole[$0].map { !$0.change.isIdentical } ?? false }
    }
}
