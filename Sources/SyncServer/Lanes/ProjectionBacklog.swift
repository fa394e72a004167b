import EventStore
import FocusCore

/// The users of whom the read model lacks events, by partition. Their changed rows gather for a while, so that a row
/// which changes often is written once.
struct ProjectionBacklog {
    /// Which events of a user the read model may lack.
    private struct Gap {
        /// The first of them.
        var first: LogOffset
        /// The user's last event; or, for who has none past the checkpoint, the offset before the checkpoint.
        var last: LogOffset
        /// The first event since the batch under way was made; nil: none.
        var next: LogOffset?

        init(_ offset: LogOffset) { (first, last) = (offset, offset) }
        init(_ lacking: UserInRange) { (first, last) = (lacking.firstOffset, lacking.lastOffset) }

        mutating func grow(to offset: LogOffset) {
            next = next ?? offset
            last = max(last, offset)
        }

        /// Adds what the read model has lost.
        mutating func widen(_ lacking: UserInRange) {
            (first, last) = (min(first, lacking.firstOffset), max(last, lacking.lastOffset))
        }
    }

    private struct Lag {
        /// Every event below this offset is in the read model, but for those of laggards (`Checkpoint`). Never past the
        /// head that the lane knows, though other servers may have appended and projected more.
        var checkpoint = LogOffset.zero
        /// The users with events at or past the checkpoint, and the laggards.
        var users: [UserID: Gap] = [:]
        /// Users whom the database refused to write, and until when they are left out.
        var setAside: [UserID: MonotonicTime] = [:]
        /// The most users of the next batch, after the database refused one; nil: the usual bound.
        var limit: Int?
        /// Users who are being loaded for the next batch.
        var awaited: Set<UserID> = []
        /// Those of them who have come, and how many bytes they take.
        var arrived: Set<UserID> = []
        var arrivedBytes = 0
        /// Whether the users of the next batch were loaded, as far as they can be.
        var isReady = false
        /// Whether a batch is under way.
        var isWriting = false
        /// Until when changed rows gather, unless the log stops growing earlier.
        var gathersUntil: MonotonicTime
        /// Nothing is written before this time, because another server writes the partition, the database refused, or
        /// nobody could be loaded.
        var retriesAt = MonotonicTime(milliseconds: 0)

        /// Whether a batch can be made, now or later.
        var isWritable: Bool { !isWriting && awaited.isEmpty && !users.isEmpty }

        mutating func markDirty(_ events: [LoggedEvent]) {
            for event in events { markDirty(event.user, at: event.offset) }
        }

        mutating func markDirty(_ user: UserID, at offset: LogOffset) {
            users[user, default: Gap(offset)].grow(to: offset)
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
        lags[partition]?.markDirty(user, at: offset)
    }

    /// Adds the users of a batch that was committed.
    mutating func markDirty(_ batch: PartitionAppend) {
        // The partition is looked up once, not for each event.
        lags[batch.partition]?.markDirty(batch.events)
    }

    /// Records that the log grew.
    mutating func grew(at now: MonotonicTime) { grewAt = now }

    /// Begins the partition anew: the read model has everything below the checkpoint, but for events of laggards. These
    /// are among `users`, with everybody who has events from there on.
    mutating func begin(_ partition: Partition, at checkpoint: LogOffset, lacking users: [UserInRange]) {
        lags[partition]?.checkpoint = checkpoint
        lags[partition]?.users = Dictionary(users.map { ($0.user, Gap($0)) }) { first, _ in first }
    }

    /// Moves the checkpoint back, and adds the users with events from there on, and the laggards.
    mutating func regress(_ partition: Partition, to checkpoint: LogOffset, lacking users: [UserInRange]) {
        lags[partition]?.checkpoint = checkpoint
        for user in users { lags[partition]?.users[user.user, default: Gap(user)].widen(user) }
    }

    /// Adds those of the laggards who are not in the backlog. Nobody is missing there, unless a server that settled a
    /// laggard has crashed together with PostgreSQL, while this lane was beginning.
    mutating func add(_ laggards: [UserID: LogOffset], of partition: Partition) {
        for (user, offset) in laggards where lags[partition]?.users[user] == nil {
            lags[partition]?.markDirty(user, at: offset)
        }
    }

    /// Begins an epoch: no batch counts as under way, and reports of earlier ones mean nothing.
    mutating func beginEpoch() {
        epoch += 1
        for partition in lags.keys { lags[partition]?.isWriting = false }
    }

    // MARK: Writing

    /// When the next batch is to be made; nil when every partition lacks nothing, has a batch under way, or awaits
    /// users.
    /// - Parameter pauseMilliseconds: how long the log must not grow for rows to be written early.
    func nextWrite(pauseMilliseconds: Int64) -> MonotonicTime? {
        lags.values.lazy.filter(\.isWritable).map { time(of: $0, pauseMilliseconds) }.min()
    }

    /// The partition whose rows were to gather the least long, among those that are due; nil when none is.
    func due(now: MonotonicTime, pauseMilliseconds: Int64) -> Partition? {
        lags.filter { $0.value.isWritable && time(of: $0.value, pauseMilliseconds) <= now }
            .min { ($0.value.gathersUntil, $0.key) < ($1.value.gathersUntil, $1.key) }?.key
    }

    private func time(of lag: Lag, _ pauseMilliseconds: Int64) -> MonotonicTime {
        guard !lag.isReady else { return MonotonicTime(milliseconds: .min) }
        return max(lag.retriesAt, min(lag.gathersUntil, grewAt.adding(milliseconds: pauseMilliseconds)))
    }

    /// The partitions whose users were loaded for a batch that is not made yet. They may leave memory again, so it is
    /// made at once.
    var ready: [Partition] { lags.filter { $0.value.isReady && $0.value.isWritable }.keys.sorted() }

    /// Makes the partition's next batch wait until these users are loaded, or cannot be.
    mutating func wait(for users: Set<UserID>, in partition: Partition) { lags[partition]?.awaited = users }

    /// Whether the partition's next batch waits for the user.
    func awaits(_ user: UserID, in partition: Partition) -> Bool {
        lags[partition]?.awaited.contains(user) ?? false
    }

    /// Ends the wait for a user. Once those who have come take more than `limit` bytes, nobody else is waited for.
    /// - Parameter bytes: what the user takes in memory; zero when they cannot be loaded.
    mutating func arrived(_ user: UserID, in partition: Partition, bytes: Int, limit: Int) {
        guard var lag = lags[partition], lag.awaited.remove(user) != nil else { return }
        lag.arrived.insert(user)
        lag.arrivedBytes += bytes
        if lag.arrivedBytes > limit { lag.awaited = [] }
        lag.isReady = lag.awaited.isEmpty
        lags[partition] = lag
    }

    /// Whether the user was loaded for a batch that is not made yet: they are to stay in memory until then.
    func keeps(_ user: UserID, of partition: Partition) -> Bool { lags[partition]?.arrived.contains(user) ?? false }

    /// All such users.
    var kept: Set<UserID> { lags.values.reduce(into: []) { $0.formUnion($1.arrived) } }

    /// Ends all waits for users: nobody is loaded any more.
    mutating func forgetAwaited() {
        for partition in lags.keys {
            lags[partition]?.awaited = []
            lags[partition]?.isReady = false
            lags[partition]?.arrived = []
            lags[partition]?.arrivedBytes = 0
        }
    }

    /// Up to `limit` users of the partition of whom the read model lacks events and whom `isWanted` accepts: those first
    /// whom it has lacked events of for longest. Nobody who is set aside.
    func users(of partition: Partition, limit: Int, where isWanted: (UserID) -> Bool) -> [UserID] {
        guard let lag = lags[partition] else { return [] }
        var wanted: [(first: LogOffset, user: UserID)] = []
        for (user, gap) in lag.users where lag.setAside[user] == nil && isWanted(user) {
            wanted.append((gap.first, user))
        }
        wanted.sort { ($0.first, $0.user) < ($1.first, $1.user) }
        return wanted.prefix(limit).map(\.user)
    }

    /// The most users of the partition's next batch.
    /// - Parameter usual: the bound where the database has refused nobody.
    func limit(of partition: Partition, usual: Int) -> Int { lags[partition]?.limit ?? usual }

    /// Leaves the user out of batches until `time`, because the database refuses their rows.
    mutating func setAside(_ user: UserID, of partition: Partition, until time: MonotonicTime) {
        lags[partition]?.setAside[user] = time
    }

    /// Lets in again those of the partition who were left out for long enough.
    mutating func endSetAside(_ partition: Partition, now: MonotonicTime) {
        guard let setAside = lags[partition]?.setAside, !setAside.isEmpty else { return }
        lags[partition]?.setAside = setAside.filter { $0.value > now }
    }

    /// When the next batch of the partition is made, whatever has gathered: later, because none of its users could be
    /// loaded, or now, because the database refused the last one.
    mutating func postpone(_ partition: Partition, until time: MonotonicTime) {
        lags[partition]?.gathersUntil = time
        lags[partition]?.retriesAt = time
    }

    /// What a batch under way covers.
    struct Cover {
        /// Where the last event of each user in the batch stands.
        var offsets: [UserID: LogOffset] = [:]
        /// The checkpoint before and after the batch.
        var base = LogOffset.zero
        var checkpoint = LogOffset.zero
        /// The offset behind the last event of all users in the batch.
        var end = LogOffset.zero
        /// Users whom the checkpoint may pass with this batch although their rows lack events.
        var passed = PassedUsers.nobody
        /// Whether the checkpoint could go further if more events were looked through for laggards.
        var isCut = false
    }

    /// The most users who are named to the database as passed.
    private static let namedLimit = 512
    /// How many events the database looks through for those who are passed, when they are more than are named.
    private static let searchedEvents = 4_096

    /// Records that a batch with these users is under way. The checkpoint moves to the first event that the read model
    /// lacks of anybody who is left out, except for those who cannot be written: they hold back nobody.
    /// - Parameters:
    ///   - head: the offset below which the users' states have all events.
    ///   - time: until when the rows of the next batch gather.
    ///   - cannotBeWritten: whether a user who is left out is quarantined, or was and has not been loaded since.
    mutating func write(
        _ users: [UserID], of partition: Partition, head: LogOffset, gatheringUntil time: MonotonicTime,
        cannotBeWritten: (UserID) -> Bool
    ) -> Cover {
        guard var lag = lags[partition] else { return Cover() }
        var cover = Cover(base: lag.checkpoint, checkpoint: head)
        for user in users {
            guard let last = lag.users[user]?.last else { continue }
            lag.users[user]?.next = nil
            cover.offsets[user] = last
            cover.end = max(cover.end, last.advanced(by: 1))
        }
        var passed: [(user: UserID, first: LogOffset)] = []
        for (user, gap) in lag.users where cover.offsets[user] == nil {
            if lag.setAside[user] == nil, !cannotBeWritten(user) {
                cover.checkpoint = min(cover.checkpoint, gap.first)
            } else if gap.last >= lag.checkpoint {
                passed.append((user, max(gap.first, lag.checkpoint)))
            }
            // Who lacks nothing from the checkpoint on is a laggard already, or was written by another server.
        }
        cover.checkpoint = max(cover.checkpoint, cover.base)
        passed.removeAll { $0.first >= cover.checkpoint }
        if passed.count <= Self.namedLimit {
            cover.passed = .named(passed.map(\.user))
        } else {
            // Whose first event past the checkpoint is not known may have it anywhere, and so may all of them.
            let end = cover.base.advanced(by: Self.searchedEvents)
            cover.isCut = end < cover.checkpoint
            (cover.passed, cover.checkpoint) = (.anybody, min(cover.checkpoint, end))
        }
        (lag.isWriting, lag.isReady) = (true, false)
        (lag.arrived, lag.arrivedBytes) = ([], 0)
        lag.gathersUntil = time
        lags[partition] = lag
        return cover
    }

    /// Records that no batch of the partition is under way any more, whatever became of it.
    mutating func wrote(_ partition: Partition) { lags[partition]?.isWriting = false }

    /// Records that the read model has the user's events up to the offset. The user stays if they have later ones.
    mutating func isWritten(_ user: UserID, through offset: LogOffset, in partition: Partition) {
        guard let gap = lags[partition]?.users[user] else { return }
        if gap.last <= offset {
            lags[partition]?.users[user] = nil
        } else if let next = gap.next {
            lags[partition]?.users[user]?.first = max(gap.first, next)
        }
    }

    /// Records that the read model has less of the user than was believed. All that it lacks is past the checkpoint.
    mutating func isMissing(_ user: UserID, in partition: Partition) {
        guard let lag = lags[partition], let gap = lag.users[user] else { return }
        lags[partition]?.users[user]?.first = min(gap.first, lag.checkpoint)
    }

    /// Records whether the database took a batch of `count` users. After a refusal batches get smaller, until the user
    /// is alone whose rows are refused; then they grow again.
    /// - Parameter usual: the usual bound.
    mutating func wasTaken(_ isTaken: Bool, count: Int, of partition: Partition, usual: Int) {
        if !isTaken {
            lags[partition]?.limit = max(1, count / 2)
        } else if let limit = lags[partition]?.limit {
            lags[partition]?.limit = limit * 2 < usual ? limit * 2 : nil
        }
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
