import EventStore
import FocusCore

/// The users of whom the read model lacks events, by partition. Their changed rows gather for a while, so that a row
/// which changes often is written once.
struct ProjectionBacklog {
    private struct Lag {
        /// Every event below this offset is in the read model. Never past the head that the lane knows, though other
        /// servers may have appended and projected more.
        var checkpoint = LogOffset.zero
        /// The users with events at or past the checkpoint, each with the offset of the last one.
        var users: [UserID: LogOffset] = [:]
        /// Whether a batch is under way.
        var isWriting = false
        /// Until when changed rows gather, unless the log stops growing earlier.
        var gathersUntil: MonotonicTime
        /// Nothing is written before this time, because another server writes the partition, the database refused, or
        /// nobody could be loaded.
        var retriesAt = MonotonicTime(milliseconds: 0)

        mutating func markDirty(_ events: [LoggedEvent]) {
            for event in events { users[event.user] = event.offset }
        }
    }

    private var lags: [Partition: Lag] = [:]
    /// When the log was last seen to grow, by this server or another.
    private var grewAt = MonotonicTime(milliseconds: 0)
    /// Counts how often the lane has read anew what the read model has. A report of a batch from an earlier epoch means
    /// nothing.
    private(set) var epoch = 0

    init(_ partitions: [Partition], now: MonotonicTime) {
        for partition in partitions { lags[partition] = Lag(gathersUntil: now) }
    }

    // MARK: What is behind

    func checkpoint(of partition: Partition) -> LogOffset { lags[partition]?.checkpoint ?? .zero }

    /// Whether the read model lacks events of the user.
    func isBehind(_ user: UserID, in partition: Partition) -> Bool { lags[partition]?.users[user] != nil }

    /// Up to `limit` users of whom the read model lacks events and whom `isWanted` accepts, in no order.
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

    /// Adds the user: the read model lacks their event at the offset, which is the last one.
    mutating func markDirty(_ user: UserID, at offset: LogOffset, in partition: Partition) {
        lags[partition]?.users[user] = offset
    }

    /// Adds the users of a batch that was committed.
    mutating func markDirty(_ batch: PartitionAppend) {
        // The partition is looked up once, not for each event.
        lags[batch.partition]?.markDirty(batch.events)
    }

    /// Records that the log grew.
    mutating func grew(at now: MonotonicTime) { grewAt = now }

    /// Begins the partition anew: the read model has everything below the checkpoint, and from there on these users
    /// have events, and nobody else.
    mutating func begin(_ partition: Partition, at checkpoint: LogOffset, lacking users: [UserInRange]) {
        lags[partition]?.checkpoint = checkpoint
        lags[partition]?.users = Dictionary(users.map { ($0.user, $0.lastOffset) }) { max($0, $1) }
    }

    /// Moves the checkpoint back, and adds the users with events from there on.
    mutating func regress(_ partition: Partition, to checkpoint: LogOffset, lacking users: [UserInRange]) {
        lags[partition]?.checkpoint = checkpoint
        for user in users { lags[partition]?.users[user.user] = user.lastOffset }
    }

    /// Begins an epoch: no batch counts as under way, and reports of earlier ones mean nothing.
    mutating func beginEpoch() {
        epoch += 1
        for partition in lags.keys { lags[partition]?.isWriting = false }
    }

    // MARK: Writing

    /// When the next batch is to be made; nil when every partition lacks nothing or has a batch under way.
    /// - Parameter pauseMilliseconds: how long the log must not grow for rows to be written early.
    func nextWrite(pauseMilliseconds: Int64) -> MonotonicTime? {
        lags.values.lazy.filter { !$0.isWriting && !$0.users.isEmpty }
            .map { time(of: $0, pauseMilliseconds) }.min()
    }

    /// The partition whose rows were to gather the least long, among those that are due; nil when none is.
    func due(now: MonotonicTime, pauseMilliseconds: Int64) -> Partition? {
        lags.filter { !$0.value.isWriting && !$0.value.users.isEmpty && time(of: $0.value, pauseMilliseconds) <= now }
            .min { ($0.value.gathersUntil, $0.key) < ($1.value.gathersUntil, $1.key) }?.key
    }

    private func time(of lag: Lag, _ pauseMilliseconds: Int64) -> MonotonicTime {
        max(lag.retriesAt, min(lag.gathersUntil, grewAt.adding(milliseconds: pauseMilliseconds)))
    }

    /// Up to `limit` users of the partition of whom the read model lacks events and whom `isWanted` accepts, by their
    /// ids.
    func users(of partition: Partition, limit: Int, where isWanted: (UserID) -> Bool) -> [UserID] {
        Array((lags[partition]?.users.keys.filter(isWanted) ?? []).sorted().prefix(limit))
    }

    /// Makes the partition wait, because none of its users could be loaded.
    mutating func postpone(_ partition: Partition, until time: MonotonicTime) {
        lags[partition]?.gathersUntil = time
        lags[partition]?.retriesAt = time
    }

    /// Records that a batch with these users is under way. The checkpoint moves only if no user of the backlog is left
    /// out.
    /// - Parameters:
    ///   - head: the offset below which the users' states have all events.
    ///   - time: until when the rows of the next batch gather.
    /// - Returns: each user's last offset, and the checkpoint before and after the batch.
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

    /// Records that no batch of the partition is under way any more, whatever became of it.
    mutating func wrote(_ partition: Partition) { lags[partition]?.isWriting = false }

    /// Records that the read model has the user's events up to the offset. The user stays if they have later ones.
    mutating func isWritten(_ user: UserID, through offset: LogOffset, in partition: Partition) {
        if lags[partition]?.users[user] == offset { lags[partition]?.users[user] = nil }
    }

    /// Moves the checkpoint on.
    /// - Parameter checkpoint: the one that a batch found or wrote; one below the known checkpoint has no effect.
    mutating func advance(_ partition: Partition, to checkpoint: LogOffset) {
        guard let known = lags[partition]?.checkpoint else { return }
        lags[partition]?.checkpoint = max(known, checkpoint)
    }

    /// Makes the partition wait, because the database refused a batch or another server writes the partition.
    mutating func retry(_ partition: Partition, at time: MonotonicTime) { lags[partition]?.retriesAt = time }
}
