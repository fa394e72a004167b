import EventStore
import FocusCore
import Logging
import Waits

/// The log as a lane knows it: where its partitions stand, what others append to them, and what the lane appends itself.
///
/// Flow: somebody has to know where the log stands → the heads are looked up → what is new is read, in its order, and told
/// → the partition's head moves. Whoever is told has heard everything below the heads.
final class LaneLog {
    let tails: PartitionTails
    let context: LaneContext
    let tell: (LogNews) -> Void
    private let store: any LaneStore
    private let willAsk: () -> Void

    /// - Parameters:
    ///   - willAsk: called before each question to the database, which may take its time.
    ///   - tell: called with what is new.
    init(
        _ context: LaneContext, _ tails: PartitionTails, _ store: any LaneStore, willAsk: @escaping () -> Void,
        tell: @escaping (LogNews) -> Void
    ) {
        (self.context, self.tails, self.store, self.willAsk, self.tell) = (context, tails, store, willAsk, tell)
        store.anchors = { [tails] in tails.anchors }
    }

    func ask<Answer>(_ question: (any LaneStore) throws -> Answer) rethrows -> Answer {
        willAsk()
        return try question(store)
    }

    /// Ends the connection; the next question makes another.
    func close() { store.close() }

    // MARK: Commits that waited

    func commitWaited(behind heads: [PartitionHead]) { tails.commitWaited(behind: heads, on: store.connectionNumber) }

    func commitWaited(with batch: PartitionAppend) { tails.commitWaited(with: batch, on: store.connectionNumber) }

    /// Whether all that the lane knows of the partition may be told (rule P1): what is told of the log rests on commits
    /// that waited for the standby, never on what could be read alone. See `ConfirmedHeads`.
    func isConfirmed(_ partition: Partition) -> Bool { tails.isSafe(partition, on: store.connectionNumber) }

    // MARK: Heads

    /// Learns where the log stands, and which users the read model lacks events of.
    func begin() throws {
        let asked = context.clock.monotonic()
        // Before the checkpoints: what is read of them is of this one or a later one, and then nothing is written.
        tails.move(to: try ask { try $0.timeline() })
        let heads = try look(asked: asked)
        let checkpoints = try ask { try $0.checkpoints(of: heads) }
        for head in heads { tails.move(to: head) }
        for head in heads {
            // Asked for after the heads.
            let checkpoint = min(checkpoints[head.partition] ?? .zero, head.nextOffset)
            tell(.readModelStands(head.partition, at: checkpoint, lacking: try users(checkpoint, head)))
        }
        tell(.readModelIsAnother)
        tails.confirm(at: asked)
    }

    /// Looks up the heads when somebody says that they moved, and every 250 ms anyhow: NOTIFY is only a hint.
    func confirmHeads() throws {
        let now = context.clock.monotonic()
        guard tails.mayHaveMoved || now - tails.confirmedAt >= context.configuration.pollMilliseconds else { return }
        tails.mayHaveMoved = false
        guard !context.faults.has(.headsUnanswered) else { return Deadline.after(seconds: 0.005).sleep() }
        let heads = try look(asked: now)
        for head in heads where try tails.isBehind(head) { try catchUp(head.partition) }
        // The answer was true when they were asked; by the time that all of it is folded it may be old.
        tails.confirm(at: now)
    }

    private func look(asked: MonotonicTime) throws -> [PartitionHead] {
        let look = try ask { try $0.look(at: tails.partitions) }
        if let time = look.time { context.databaseTime.note(time, asked: asked) }
        return look.heads
    }

    /// Whether the clock is the database's, near enough. Where it seems not to be, the database is asked once more: the
    /// machine may have slept, or its clock was right until a moment ago.
    func clockIsRight() throws -> Bool {
        guard context.databaseTime.difference() != 0 else { return !context.databaseTime.isApart() }
        tails.mayHaveMoved = true
        try confirmHeads()
        return !context.databaseTime.isApart()
    }

    // MARK: Following

    /// Reads what other servers appended to the partition.
    func catchUp(_ partition: Partition) throws {
        if let head = try ask({ try $0.heads(of: [partition]) }).first { try catchUp(to: head) }
    }

    /// The same up to a head that was seen. Throws `LogTruncated` when the log does not lead there any more.
    func catchUp(to head: PartitionHead) throws {
        guard head.generation == tails[head.partition].generation else { return try changeGeneration(to: head) }
        if try tails.isBehind(head) { try follow(head) }
    }

    /// Tells what the log got until `head`. Throws `LogTruncated` when that stands behind another event than the last one
    /// that this lane knows, or does not lead to the head.
    private func follow(_ head: PartitionHead) throws {
        let (partition, known) = (head.partition, tails[head.partition])
        let count = head.nextOffset.rawValue - known.nextOffset.rawValue
        if count > Int64(context.configuration.refoldLimit) {
            let users = try users(known.nextOffset, head)
            // After the look at the users, which does not say between what their events stand.
            _ = try read(0, behind: known)
            _ = try read(0, behind: head)
            for user in users { tell(.skipped(user, partition)) }
        } else {
            let events = try read(Int(count), behind: known)
            guard events.last?.anchor == head.anchor else { throw LogTruncated(partition) }
            for event in events { tell(.followed(event)) }
            tell(.caughtUp(Set(events.map(\.user))))
        }
        var reached = head
        // What is shown changes with `changeGeneration` alone, which may have to be begun again.
        reached.generation = known.generation
        tails.move(to: reached)
    }

    /// So many events behind the one that the lane knows as the last.
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

    /// Users with events from the offset on, below the head.
    func users(_ offset: LogOffset, _ head: PartitionHead) throws -> [UserInRange] {
        try ask { try $0.users(partition: head.partition, in: offset..<head.nextOffset) }
    }

    /// A rebuild cut the partition over. States of users whose rows are different are dropped, and loaded from the
    /// generation that is shown now; their sessions get what it shows differently. Of the others nothing has to be loaded:
    /// appends would wait for it.
    private func changeGeneration(to head: PartitionHead) throws {
        let partition = head.partition
        let known = tails[partition]
        context.logger.notice(
            "another generation of the read model is shown",
            metadata: ["partition": "\(partition)", "from": "\(known.generation)", "to": "\(head.generation)"])
        let changed = try ask { try $0.changedUsers(of: partition, from: known.generation, to: head.generation) }
        tell(.generationChanges(partition, changed: changed))
        if try tails.isBehind(head), head.nextOffset > known.nextOffset { try follow(head) }
        let checkpoint = min(try ask { try $0.checkpoints(of: [head]) }[partition] ?? .zero, head.nextOffset)
        let lacking = try users(checkpoint, head)
        tails.move(to: head)
        tell(.readModelStands(partition, at: checkpoint, lacking: lacking))
        tell(.generationChanged(head, changed: changed, lacking: lacking))
    }
}
