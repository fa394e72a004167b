import EventStore
import FocusCore

/// What one append statement will carry, and the answers that leave once it is committed. Nobody sees any of it before
/// (rule P1).
struct AppendStaging {
    /// The answer to one append frame. Without `appended`, `recalled` and `error` its device is told nothing.
    struct Answer {
        var append: PendingAppend
        /// The partition of the frame's user: the answer waits for the commit there.
        var partition: Partition
        var appended: Appended?
        var recalled: Recalled?
        /// Why the frame, or the rest of it behind `appended`, was not taken.
        var error: ProtocolError?
        /// The frame as it goes on once what is staged of it is committed; nil when it ends here. Its device is told
        /// nothing before it ends.
        var rest: PendingAppend?
    }

    /// The wall clock's time, read once: the clock may be set back while frames are staged.
    let now: Timestamp
    /// See `ServerClock.step`.
    private let step: Int64
    private let heads: [Partition: PartitionHead]
    /// Whether the partitions are locked, so that other servers wait for this statement.
    let isLocked: Bool
    private(set) var batches: [Partition: PartitionAppend] = [:]
    /// The users of whom it holds anything, in the order in which they came.
    private(set) var users: [StagedUser] = []
    /// Where each user is in `users`.
    private var slots: [UserID: Int] = [:]
    /// The slot that was looked up last: a frame's events come one after the other.
    private var lastSlot = 0
    /// How many users have an event that is not folded.
    private var unfoldedCount = 0
    /// Which events are folded beside the lane.
    private let beside: FoldsBeside
    private let bounds: WorkBounds
    var answers: [Answer] = []
    /// Sessions that take no further append (rule P3).
    private(set) var ended: Set<UInt64> = []
    /// What the statement holds of the devices' events.
    private(set) var used: [QuotaKey: AppendUse] = [:]
    private(set) var eventCount = 0
    /// Bytes of the staged payloads.
    private(set) var byteCount = 0
    /// What the lane did for the staged events, in units of `Work`.
    private(set) var work = 0
    /// The work of each user past `WorkShare.lightWork`, of all together.
    private(set) var heavyWork = 0
    /// `work`, and what is to be done beside the lane.
    private(set) var charged = 0
    /// The work of the dear events since the last call of `takeDear`.
    private var dear = 0

    /// Whether there is nothing to append and nothing to answer.
    var isEmpty: Bool { batches.isEmpty && answers.isEmpty }

    /// Whether the statement may take another frame. The last frame may take it past the bounds.
    func hasRoom(_ configuration: LaneConfiguration) -> Bool {
        guard eventCount < configuration.eventsPerStatement, byteCount < configuration.bytesPerStatement,
            work < configuration.workPerStatement
        else { return false }
        return !isLocked || eventCount < configuration.eventsPerLock && byteCount < configuration.bytesPerLock
    }

    /// Whether the statement may take another event of the user. The last one may take it past the bounds.
    func hasRoomForWork(of user: UserID) -> Bool {
        let share = share(of: user)
        guard work < bounds.ofStatement, share.work < bounds.ofUser, !isUnfolded(user) else { return false }
        return heavyWork < bounds.ofHeavyUsers || share.work < share.lightWork
    }

    /// Whether the user has had what one who asks for little may have.
    func asksForMuch(_ user: UserID) -> Bool {
        let share = share(of: user)
        return share.work >= share.lightWork
    }

    private func share(of user: UserID) -> WorkShare {
        knownSlot(of: user).map { users[$0].share } ?? WorkShare(lightWork: bounds.ofLightUser(user))
    }

    /// Whether an event of the user is staged without being folded.
    func isUnfolded(_ user: UserID) -> Bool { knownSlot(of: user).map { users[$0].unfolded != nil } ?? false }

    /// Whether folded events of the user are staged: their state is ahead of the log.
    func hasFoldedEvents(of user: UserID) -> Bool { knownSlot(of: user).map { users[$0].hasFoldedEvents } ?? false }

    /// Whether the statement may take another user for whom something is due. Events of devices get as much room, so
    /// that they go with every statement.
    func hasRoomForDue(_ configuration: LaneConfiguration) -> Bool {
        guard eventCount < max(1, configuration.eventsPerStatement / 4), work < configuration.workPerUser / 2
        else { return false }
        return !isLocked || eventCount < max(1, configuration.eventsPerLock / 4)
    }

    /// Whether the statement may carry events of the partition's users.
    func carries(_ partition: Partition) -> Bool { heads[partition] != nil }

    /// - Parameters:
    ///   - heads: the heads of the partitions that the statement is for. The events go behind them, and nothing moves
    ///     them while frames are staged.
    ///   - isLocked: whether these partitions are locked.
    ///   - beside: which events are folded beside the lane.
    ///   - bounds: how much work of whom it carries.
    init(
        _ clock: ServerClock, behind heads: [Partition: PartitionHead], isLocked: Bool = false,
        beside: FoldsBeside = .none, bounds: WorkBounds = WorkBounds()
    ) {
        (now, step) = (clock.wall(), clock.step())
        (self.heads, self.isLocked, self.beside, self.bounds) = (heads, isLocked, beside, bounds)
    }

    /// Where the user is in `users`; nil when it holds nothing of them.
    private func knownSlot(of user: UserID) -> Int? {
        lastSlot < users.count && users[lastSlot].id == user ? lastSlot : slots[user]
    }

    private mutating func slot(of user: UserID) -> Int {
        lastSlot = knownSlot(of: user) ?? users.count
        guard lastSlot == users.count else { return lastSlot }
        slots[user] = lastSlot
        users.append(StagedUser(user, WorkShare(lightWork: bounds.ofLightUser(user))))
        return lastSlot
    }

    /// The `recorded_at` of this statement's events in the partition. It is past that of every event before them, even
    /// when the wall clock was set back.
    func recordingTime(of partition: Partition) -> Timestamp {
        guard let head = heads[partition] else { return now }
        return max(now, head.lastRecordedAt.adding(microseconds: step))
    }

    /// Folds the event, unless that is to be done beside the lane (`unfolded`), and puts it behind the others of its
    /// partition. Throws what the fold throws: the user's state cannot be used any more, and the event is not staged.
    mutating func record(_ event: Event, _ logged: LoggedPayload, _ user: CachedUser) throws {
        guard let head = heads[user.partition] else { preconditionFailure("a user of another lane's partition") }
        let slot = slot(of: user.id)
        precondition(users[slot].unfolded == nil, "an event before this one is not folded")
        let cost = Work.event + logged.payload.count / Work.bytesPerUnit
        if let estimate = beside.work(of: event, user, when: unfoldedCount) {
            users[slot].unfolded = event
            unfoldedCount += 1
            charge(cost, beside: estimate, to: slot)
        } else {
            let before = user.state.work
            let keys = try user.state.apply(event)
            charge(cost + user.state.work - before + Work.row * keys.count, to: slot)
            user.grew(payloadBytes: logged.payload.count)
            users[slot].touch(keys)
        }
        batches[user.partition, default: PartitionAppend(behind: head, events: [])].append(
            event, of: user.id, type: logged.type, schemaVersion: logged.schemaVersion, payload: logged.payload)
        eventCount += 1
        byteCount += logged.payload.count
    }

    /// Counts work that made no event: what the log holds at a place was compared with what is sent again.
    mutating func compared(payloadBytes: Int, for user: UserID) {
        charge(Work.comparison + payloadBytes / Work.bytesPerUnit, to: slot(of: user))
    }

    /// Records that a frame of the user takes several statements.
    mutating func markPartial(_ user: UserID) { users[slot(of: user)].isPartial = true }

    private mutating func charge(_ done: Int, beside estimate: Int = 0, to slot: Int) {
        heavyWork += users[slot].share.add(done)
        work += done
        charged += done + estimate
        users[slot].workBeside += estimate
        if done + estimate > bounds.ofDearEvent { dear += done + estimate }
    }

    /// The work of the events that were staged since the last call, and are dear each for itself
    /// (`WorkBounds.ofDearEvent`).
    mutating func takeDear() -> Int {
        defer { dear = 0 }
        return dear
    }

    /// Begins what devices send. What fell due by the clock stands before it, and is charged to nobody: its users have
    /// asked for nothing now, and nobody's device rests for it.
    mutating func beginFrames() {
        for slot in users.indices { users[slot].forgetWork() }
        (heavyWork, dear) = (0, 0)
    }

    /// Gives the frames' bytes back to the budget, when none of them is answered: the lane starts over, or stops.
    func release(to budget: InboundBudget) {
        for answer in answers { budget.release(answer.append.request.charge) }
    }

    /// Records what the statement holds of the device's events by now.
    mutating func use(_ use: AppendUse, by device: QuotaKey) { used[device] = use }

    /// Makes the session take no further append (rule P3).
    mutating func end(_ session: UInt64) { ended.insert(session) }
}

extension AppendStaging.Answer {
    /// The answer to a frame that was not staged: its device is to send it again.
    init(withdrawing frame: PendingAppend, because reason: String) {
        // The answer waits for no commit, and a partition is read only to know whose commit to wait for.
        self.init(
            append: frame, partition: Partition(0),
            error: ProtocolError(
                .unavailable, reason, retryAfterMilliseconds: 1_000, sequence: frame.request.firstSequence))
    }

    /// Whether the answer says what the log holds, or will never hold (rule P10). Such an answer may leave only once
    /// that is confirmed (rule P1).
    var saysWhatIsLogged: Bool { appended != nil || recalled != nil }

    /// Makes the answer say nothing about the fate of the events: the device is to send them again.
    mutating func withdraw() {
        (appended, recalled, rest) = (nil, nil, nil)
        error =
            error
            ?? ProtocolError(
                .unavailable, "The log cannot be written at the moment. Send again.", retryAfterMilliseconds: 1_000)
    }
}
