import EventStore
import FocusCore
import Logging
import Waits

extension LaneWorker {
    /// Learns where the log stands, and which users the read model lacks events of.
    func begin() throws {
        let asked = context.clock.monotonic()
        // Before the checkpoints: what is read of them is of this one or a later one, and then nothing is written.
        tails.move(to: try store.timeline())
        let heads = try look(at: tails.partitions, asked: asked)
        let checkpoints = try store.checkpoints(of: heads)
        for head in heads { tails.move(to: head) }
        for head in heads {
            // Asked for after the heads.
            let checkpoint = min(checkpoints[head.partition] ?? .zero, head.nextOffset)
            let lacking = try store.users(partition: head.partition, in: checkpoint..<head.nextOffset)
            backlog.begin(head.partition, at: checkpoint, lacking: lacking)
        }
        backlog.beginEpoch()
        tails.confirm(at: asked)
    }

    /// Looks up the heads when somebody says that they moved, and every 250 ms anyhow: NOTIFY is only a hint.
    func confirmHeads() throws {
        let now = context.clock.monotonic()
        guard tails.mayHaveMoved || now - tails.confirmedAt >= configuration.pollMilliseconds else { return }
        tails.mayHaveMoved = false
        guard !context.faults.has(.headsUnanswered) else { return Deadline.after(seconds: 0.005).sleep() }
        let heads = try look(at: tails.partitions, asked: now)
        for head in heads where try tails.isBehind(head) {
            try catchUp(head.partition)
        }
        // The answer was true when they were asked; by the time that all of it is folded it may be old.
        tails.confirm(at: now)
    }

    private func look(at partitions: [Partition], asked: MonotonicTime) throws -> [PartitionHead] {
        let look = try store.look(at: partitions)
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

    /// Reads what other servers appended to the partition, and folds it into the states that are here.
    func catchUp(_ partition: Partition) throws {
        if let head = try store.heads(of: [partition]).first { try catchUp(to: head) }
    }

    /// The same up to a head that was seen. Throws `LogFellBack` when the log does not lead there any more.
    func catchUp(to head: PartitionHead) throws {
        guard head.generation == tails[head.partition].generation else { return try changeGeneration(to: head) }
        if try tails.isBehind(head) { try follow(head) }
    }

    /// Folds what the log got until `head`. Throws `LogFellBack` when that stands behind another event than the last
    /// one that this lane knows, or does not lead to the head.
    func follow(_ head: PartitionHead) throws {
        let (partition, known) = (head.partition, tails[head.partition])
        backlog.grew(at: context.clock.monotonic())
        let count = head.nextOffset.rawValue - known.nextOffset.rawValue
        if count > Int64(configuration.refoldLimit) {
            let users = try store.users(partition: partition, in: known.nextOffset..<head.nextOffset)
            // After the look at the users, which does not say between what their events stand.
            _ = try read(0, behind: known)
            _ = try read(0, behind: head)
            for changed in users { skip(changed, in: partition) }
        } else {
            let events = try read(Int(count), behind: known)
            guard events.last?.anchor == head.anchor else { throw LogFellBack(partition) }
            for event in events {
                backlog.note(event.user, at: event.offset, in: partition)
                refold(event)
            }
            for id in Set(events.map(\.user)) {
                if let user = users[id] { review(user) }
            }
        }
        var reached = head
        // What is shown changes with `changeGeneration` alone, which may have to be begun again.
        reached.generation = known.generation
        tails.move(to: reached)
    }

    /// The user has more events than are folded one by one: they are loaded when they are needed.
    private func skip(_ changed: UserInRange, in partition: Partition) {
        // Whoever was loaded since then has it all.
        if let user = users[changed.user], user.state.version < changed.version { forget(changed.user) }
        backlog.note(changed.user, at: changed.lastOffset, in: partition)
        due.forget(changed.user)
        if sessions.hasSessions(of: changed.user) { plan.awaitRows(changed.user) }
        peers.changed(changed.user)
    }

    /// So many events behind the one that the lane knows as the last.
    private func read(_ count: Int, behind known: PartitionHead) throws -> [LoggedEvent] {
        let anchored = known.anchor == nil ? 0 : 1
        let events = try store.events(
            partition: known.partition, from: known.nextOffset.advanced(by: -anchored), limit: count + anchored)
        guard events.count == count + anchored, anchored == 0 || events.first?.anchor == known.anchor else {
            throw LogFellBack(known.partition)
        }
        return Array(events.dropFirst(anchored))
    }

    private func refold(_ logged: LoggedEvent) {
        if sessions.hasSessions(of: logged.user) { plan.awaitRows(logged.user) }
        peers.changed(logged.user)
        guard let user = users[logged.user] else {
            due.forget(logged.user)
            reviewAbsent(logged)
            return
        }
        guard logged.version > user.state.version else { return }
        guard logged.version == user.state.version.next else { return forget(user.id) }
        do {
            let event = try logged.decoded()
            let keys = try user.state.apply(event)
            user.dirty.formUnion(keys)
            reschedule(user, changed: keys)
        } catch {
            quarantine(user.id, error)
        }
    }
}
