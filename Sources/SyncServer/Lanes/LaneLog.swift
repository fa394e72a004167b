import EventStore
import FocusCore
import Logging
import Waits

/// The log as a lane knows it: where its partitions end, what other servers append to them, and what the lane appends.
///
/// Flow: the heads are looked up → events past the known head are read and told, in their order → the known head moves.
/// So whoever is told (`LogNews`) has heard of everything below the known heads.
final class LaneLog {
    let tails: PartitionTails
    let context: LaneContext
    let tell: (LogNews) -> Void
    /// Where other servers append at the same time; see `LaneLog+Locking`.
    var contention: PartitionContention
    private let store: any LaneStore
    private let willAsk: () -> Void
    /// The connection over which it was last asked (`LaneStore.connectionNumber`); zero before the first.
    private var connection = 0
    /// When the database was last asked something.
    private(set) var askedAt: MonotonicTime
    /// Partitions with commits that other servers are to be told of; see `tellOthers`.
    var untold: Set<Partition> = []

    /// - Parameters:
    ///   - willAsk: called before each question to the database, which may take long.
    ///   - tell: called with all that the lane learns of the log and the read model.
    init(
        _ context: LaneContext, _ tails: PartitionTails, _ store: any LaneStore, willAsk: @escaping () -> Void,
        tell: @escaping (LogNews) -> Void
    ) {
        (self.context, self.tails, self.store, self.willAsk, self.tell) = (context, tails, store, willAsk, tell)
        contention = PartitionContention(milliseconds: context.configuration.contentionMilliseconds)
        askedAt = context.clock.monotonic()
        store.anchors = { [tails] in tails.anchors }
    }

    /// Asks the database. Every question of a lane goes this way, so `willAsk` is called before each.
    func ask<Answer>(_ question: (any LaneStore) throws -> Answer) rethrows -> Answer {
        willAsk()
        askedAt = context.clock.monotonic()
        defer { noticeConnection() }
        return try question(store)
    }

    private func noticeConnection() {
        guard store.connectionNumber != connection else { return }
        if connection > 0 { tell(.connectionIsAnother) }
        connection = store.connectionNumber
    }

    /// Tells other servers of the commits since the last call. To be called once devices have their answers and rows: the
    /// threads that tell and hear would take the processor that those wait for.
    func tellOthers() {
        guard !untold.isEmpty else { return }
        context.hints.committed(untold)
        untold = []
    }

    /// Has `body` called again and again while the database is waited for. It asks the database nothing.
    func whileWaiting(_ body: @escaping () -> Void) { store.whileWaiting = body }

    /// Gives up what `lock` has locked, if no statement was committed since.
    func unlock() { store.unlock() }

    /// Ends the connection; the next question makes another.
    func close() { store.close() }

    // MARK: Commits that waited

    /// Records a commit that waited for the standby, sent when the log was known up to these heads.
    func commitWaited(behind heads: [PartitionHead]) { tails.commitWaited(behind: heads, on: store.connectionNumber) }

    /// Records that the batch was committed, and waited for the standby.
    func commitWaited(with batch: PartitionAppend) { tails.commitWaited(with: batch, on: store.connectionNumber) }

    /// Whether answers may rest on all that the lane knows of the partition (rule P1): a commit that waited for the
    /// standby stands behind it. That it could be read proves nothing (`ConfirmedHeads`).
    func isConfirmed(_ partition: Partition) -> Bool { tails.isSafe(partition, on: store.connectionNumber) }

    // MARK: Heads

    /// Reads where the partitions end, and of which users the read model lacks events. To be called again after the log
    /// was found truncated.
    func begin() throws {
        let asked = context.clock.monotonic()
        // The timeline is read before the checkpoints. If another server takes over in between, the checkpoints are of
        // the later timeline, and the projector writes nothing for the one that is known.
        let timeline = try ask { try $0.timeline() }
        if tails.timeline != nil, tails.timeline != timeline { tell(.serverIsAnother) }
        tails.move(to: timeline)
        let heads = try readHeads(asked: asked)
        let checkpoints = try ask { try $0.checkpoints(of: heads) }
        for head in heads { tails.move(to: head) }
        for head in heads {
            let (checkpoint, lacking) = try lacking(checkpoints[head.partition], head)
            tell(.readModelStands(head.partition, at: checkpoint, lacking: lacking))
        }
        tell(.readModelIsAnother)
        tails.confirm(at: asked)
    }

    /// Looks up the heads and catches up with them, if somebody says that they moved or if `pollMilliseconds` have
    /// passed: NOTIFY is only a hint. Throws `LogTruncated` when the log has lost events that the lane knows.
    func confirmHeads() throws {
        let now = context.clock.monotonic()
        guard tails.mayHaveMoved || now - tails.confirmedAt >= context.configuration.pollMilliseconds else { return }
        tails.mayHaveMoved = false
        guard !context.faults.has(.headsUnanswered) else { return Deadline.after(seconds: 0.005).sleep() }
        let heads = try readHeads(asked: now)
        for head in heads where try tails.isBehind(head) { try catchUp(head.partition) }
        // The heads are confirmed as of the question: by the time that all news is folded, the answer may be old.
        tails.confirm(at: now)
    }

    /// The heads of all partitions. Notes the database's time, which comes with them.
    private func readHeads(asked: MonotonicTime) throws -> [PartitionHead] {
        let look = try ask { try $0.timedHeads(of: tails.partitions) }
        if let time = look.time { context.databaseTime.observe(time, asked: asked) }
        return look.heads
    }

    /// Whether the wall clock agrees with the database's, so that events may be appended (rule E4). If it seems not to,
    /// the database is asked once more: the machine may have slept since, or its clock may have been set right.
    func clockIsRight() throws -> Bool {
        guard context.databaseTime.difference() != 0 else { return !context.databaseTime.isApart() }
        tails.mayHaveMoved = true
        try confirmHeads()
        return !context.databaseTime.isApart()
    }

    // MARK: Following

    /// Reads and tells what other servers appended to the partition.
    func catchUp(_ partition: Partition) throws {
        if let head = try ask({ try $0.heads(of: [partition]) }).first { try catchUp(to: head) }
    }

    /// Reads and tells what the log has up to a head that was seen, and changes to that head's generation. Throws
    /// `LogTruncated` when the log does not lead from the known head to that one.
    func catchUp(to head: PartitionHead) throws {
        guard head.generation == tails[head.partition].generation else { return try changeGeneration(to: head) }
        if try tails.isBehind(head) { try follow(head) }
    }

    /// Tells what the log got between the known head and `head`, and moves the known head. Throws `LogTruncated` when
    /// the log no longer holds the last event that the lane knows, or does not end at `head` with its event.
    private func follow(_ head: PartitionHead) throws {
        let (partition, known) = (head.partition, tails[head.partition])
        let count = head.nextOffset.rawValue - known.nextOffset.rawValue
        if count > Int64(context.configuration.refoldLimit) {
            let users = try users(known.nextOffset, head)
            // The users come without the events before and after the range. So both ends are compared with the log
            // afterwards: then the range was read from the history that the lane knows.
            _ = try read(0, behind: known)
            _ = try read(0, behind: head)
            skip(users, in: partition)
        } else {
            let events = try read(Int(count), behind: known)
            guard events.last?.anchor == head.anchor else { throw LogTruncated(partition) }
            tell(events)
        }
        reach(head)
    }

    /// Tells what other servers appended, event by event.
    func tell(_ events: [LoggedEvent]) {
        for event in events { tell(.followed(event)) }
        tell(.caughtUp(Set(events.map(\.user))))
    }

    /// Tells whose events are not told one by one.
    func skip(_ users: [UserInRange], in partition: Partition) {
        for user in users { tell(.skipped(user, partition)) }
    }

    /// Moves the known head, when everything below this one has been told.
    func reach(_ head: PartitionHead) {
        var reached = head
        // Only `changeGeneration` changes the generation, as its last step: if it fails, it is begun again.
        reached.generation = tails[head.partition].generation
        tails.move(to: reached)
    }

    /// The `count` events from the head `known` on. Throws `LogTruncated` when there are fewer, or when the log does
    /// not hold the head's event below them.
    private func read(_ count: Int, behind known: PartitionHead) throws -> [LoggedEvent] {
        let anchored = known.anchor == nil ? 0 : 1
        let events = try ask {
            try $0.events(
                partition: known.partition, from: known.nextOffset.advanced(by: -anchored), limit: count + anchored)
        }
        guard events.count == count + anchored, anchored == 0 || events.first?.anchor == known.anchor else {
            throw LogTruncated(known.partition)
        }
        return Array(events.dropFirst(anchored))
    }

    /// The users with events from the offset on and below the head.
    func users(_ offset: LogOffset, _ head: PartitionHead) throws -> [UserInRange] {
        try ask { try $0.users(partition: head.partition, in: offset..<head.nextOffset) }
    }

    /// The users of whom the read model may lack events: everybody with events past the checkpoint, and the laggards.
    /// - Returns: the checkpoint, not past the head. It is read after the head, and other servers move it meanwhile.
    func lacking(_ read: Checkpoint?, _ head: PartitionHead) throws -> (LogOffset, [UserInRange]) {
        let checkpoint = min(read?.offset ?? .zero, head.nextOffset)
        var lacking: [UserID: UserInRange] = [:]
        for user in try users(checkpoint, head) { lacking[user.user] = user }
        for (user, first) in read?.laggards ?? [:] {
            // Where the user has no event past the checkpoint, the last one stands somewhere before it.
            let last = checkpoint.advanced(by: -1)
            lacking[user, default: UserInRange(user: user, version: .zero, firstOffset: first, lastOffset: last)]
                .firstOffset = first
        }
        return (checkpoint, Array(lacking.values))
    }

    /// Changes to another generation, after a rebuild cut the partition over to it. The states of users whose rows
    /// differ there are dropped and loaded again, and their sessions get the differences (rule S8). The states of all
    /// others are kept, because appends would wait for the loads.
    private func changeGeneration(to head: PartitionHead) throws {
        let partition = head.partition
        let known = tails[partition]
        context.logger.notice(
            "another generation of the read model is shown",
            metadata: ["partition": "\(partition)", "from": "\(known.generation)", "to": "\(head.generation)"])
        let changed = try ask { try $0.changedUsers(of: partition, from: known.generation, to: head.generation) }
        tell(.generationChanges(partition, changed: changed))
        if try tails.isBehind(head), head.nextOffset > known.nextOffset { try follow(head) }
        let (checkpoint, lacking) = try lacking(try ask { try $0.checkpoints(of: [head]) }[partition], head)
        tails.move(to: head)
        tell(.readModelStands(partition, at: checkpoint, lacking: lacking))
        tell(.generationChanged(head, changed: changed, lacking: lacking))
    }
}
