import EventStore
import FocusCore

/// What the read model lacks of a lane's partitions: users with events past the checkpoint. Changed rows gather for a
/// while, so that a row which changes often is written once.
struct ProjectionBacklog {
    private struct Lag {
        /// Everything below is in the read model. Never past the head: another server may be further with both, and what
        /// it has projected of events that this one does not know is of no concern yet.
        var checkpoint = LogOffset.zero
        /// Users with events at or past the checkpoint, and the offset of the last of them.
        var users: [UserID: LogOffset] = [:]
        /// A batch is under way.
        var isWriting = false
        /// Changed rows are gathered until then, or until the lane's appends pause.
        var gathersUntil: MonotonicTime
        /// Nothing is written before: another server is at it, the database refused, or nobody could be loaded.
        var retriesAt = MonotonicTime(milliseconds: 0)

        mutating func note(_ events: [LoggedEvent]) {
            for event in events { users[event.user] = event.offset }
        }
    }

    private var lags: [Partition: Lag] = [:]
    /// When the log was last seen to grow, by this server or another.
    private var grewAt = MonotonicTime(milliseconds: 0)
    /// Counts how often the lane has read anew where the log, or the read model, stands: reports of batches that were
    /// under way before mean nothing any more.
    private(set) var epoch = 0

    init(_ partitions: [Partition], now: MonotonicTime) {
        for partition in partitions { lags[partition] = Lag(gathersUntil: now) }
    }

    // MARK: What is behind

    func checkpoint(of partition: Partition) -> LogOffset { lags[partition]?.checkpoint ?? .zero }

    /// Whether the read model lacks events of the user.
    func isBehind(_ user: UserID, in partition: Partition) -> Bool { lags[partition]?.users[user] != nil }

    /// Users of whom the read model lacks events, up to a number, that `isWanted` accepts.
    func users(limit: Int, where isWanted: (UserID) -> Bool) -> [UserID] {
        var found: [UserID] = []
        for lag in lags.values {
            for user in lag.users.keys where isWanted(user) {
                guard found.count < limit else { return found }
                found.append(user)
            }
        }
        return found
    }

    /// The user has an event at the offset that the read model lacks.
    mutating func note(_ user: UserID, at offset: LogOffset, in partition: Partition) {
        lags[partition]?.users[user] = offset
    }

    /// The batch is committed.
    mutating func note(_ batch: PartitionAppend) {
        // In place: each event would look the partition up.
        lags[batch.partition]?.note(batch.events)
    }

    mutating func grew(at now: MonotonicTime) { grewAt = now }

    /// The read model has everything of the partition below the checkpoint, and what these users have past it is
    /// missing. Of others nothing is.
    mutating func begin(_ partition: Partition, at checkpoint: LogOffset, lacking users: [UserInRange]) {
        lags[partition]?.checkpoint = checkpoint
        lags[partition]?.users = Dictionary(users.map { ($0.user, $0.lastOffset) }) { max($0, $1) }
    }

    /// The checkpoint stands further back than it stood: these users are missing too.
    mutating func regress(_ partition: Partition, to checkpoint: LogOffset, lacking users: [UserInRange]) {
        lags[partition]?.checkpoint = checkpoint
        for user in users { lags[partition]?.users[user.user] = user.lastOffset }
    }

    /// Batches under way were written before what is known now, or will not be.
    mutating func beginEpoch() {
        epoch += 1
        for partition in lags.keys { lags[partition]?.isWriting = false }
    }

    // MARK: Writing

    /// When the first partition is to be written; nil: nothing is behind, or what is, is under way.
    func nextWrite(pauseMilliseconds: Int64) -> MonotonicTime? {
        lags.values.lazy.filter { !$0.isWriting && !$0.users.isEmpty }
            .map { time(of: $0, pauseMilliseconds) }.min()
    }

    /// The partition that has been due longest; nil: none is.
    func due(now: MonotonicTime, pauseMilliseconds: Int64) -> Partition? {
        lags.filter { !$0.value.isWriting && !$0.value.users.isEmpty && time(of: $0.value, pauseMilliseconds) <= now }
            .min { ($0.value.gathersUntil, $0.key) < ($1.value.gathersUntil, $1.key) }?.key
    }

    private func time(of lag: Lag, _ pauseMilliseconds: Int64) -> MonotonicTime {
        max(lag.retriesAt, min(lag.gathersUntil, grewAt.adding(milliseconds: pauseMilliseconds)))
    }

    /// Users of the partition that are behind and that `isWanted` accepts, in their order.
    func users(of partition: Partition, limit: Int, where isWanted: (UserID) -> Bool) -> [UserID] {
        Array((lags[partition]?.users.keys.filter(isWanted) ?? []).sorted().prefix(limit))
    }

    /// Nobody of the partition could be loaded.
    mutating func postpone(_ partition: Partition, until time: MonotonicTime) {
        lags[partition]?.gathersUntil = time
        lags[partition]?.retriesAt = time
    }

    /// Users of the partition are written. Whoever is left out keeps the checkpoint where it is.
    /// - Parameters:
    ///   - head: up to where the users' states have all events.
    ///   - time: when more is written, of what comes and what is left out.
    /// - Returns: each user's last offset, and the checkpoint behind the batch.
    mutating func write(
        _ users: [UserID], of partition: Partition, head: LogOffset, gatheringUntil time: MonotonicTime
    ) -> (offsets: [UserID: LogOffset], base: LogOffset, checkpoint: LogOffset) {
        guard var lag = lags[partition] else { return ([:], .zero, .zero) }
        let offsets = Dictionary(users.map { ($0, lag.users[$0] ?? .zero) }) { first, _ in first }
        lag.isWriting = true
        lag.gathersUntil = time
        lags[partition] = lag
        let isWhole = offsets.count == lag.users.count
        return (offsets, lag.checkpoint, isWhole ? head : lag.checkpoint)
    }

    /// The batch is through, whatever became of it.
    mutating func wrote(_ partition: Partition) { lags[partition]?.isWriting = false }

    /// The user is in the read model up to the offset; behind still, if there were events since.
    mutating func isWritten(_ user: UserID, through offset: LogOffset, in partition: Partition) {
        if lags[partition]?.users[user] == offset { lags[partition]?.users[user] = nil }
    }

    /// - Parameter checkpoint: where it stood, or was moved to; one that is further back than what is known says nothing.
    mutating func advance(_ partition: Partition, to checkpoint: LogOffset) {
        guard let known = lags[partition]?.checkpoint else { return }
        lags[partition]?.checkpoint = max(known, checkpoint)
    }

    /// The database refused, or another server is at it.
    mutating func retry(_ partition: Partition, at time: MonotonicTime) { lags[partition]?.retriesAt = time }
}
