import EventStore
import FocusCore
import Logging

/// Appends to partitions to which other servers append at the same time: the lane locks them first, so it cannot come
/// too late, and folds what the others appended before it stages anything.
///
/// Flow: `lock` → what came between is told → the lane stages some frames → `commit`, or `unlock`.
extension LaneLog {
    /// The partitions that are to be locked before anything is staged for them.
    func contendedPartitions() -> Set<Partition> { contention.partitions(at: context.clock.monotonic()) }

    /// Locks the partitions until the next `commit` or `unlock`, and tells what others appended to them; users who are
    /// in memory have it folded. Nothing else may be asked of the database in between. When the database refuses to
    /// lock, the statement goes without: it is as right, and meets what is wrong with the database itself.
    ///
    /// Throws `LogTruncated` and `StoreStopped`: then nothing is locked.
    func lock(_ partitions: Set<Partition>) throws {
        let known = partitions.sorted().map { tails[$0] }
        let locked: [LockedPartition]
        do {
            locked = try ask { try $0.lock(behind: known, limit: context.configuration.refoldLimit) }
        } catch let error where error is StoreStopped || error is LogTruncated {
            throw error
        } catch {
            return context.logger.error("partitions not locked", metadata: ["error": "\(error)"])
        }
        // The states in memory may be wrong for it, and nothing of them may be sent at the versions of events that tell of
        // that: so these are not followed before the lane has changed to it.
        guard locked.allSatisfy({ $0.head.generation == tails[$0.head.partition].generation }) else {
            unlock()
            return try locked.forEach { try catchUp(to: $0.head) }
        }
        context.contention.count(locked: 1)
        for partition in locked where follow(partition) {
            // Without the lock the append would have come too late.
            contention.cameTooLate(partition.head.partition, at: context.clock.monotonic())
        }
    }

    /// Tells what others appended to a locked partition, which shows the generation that the lane knows.
    /// - Returns: whether they appended anything.
    private func follow(_ locked: LockedPartition) -> Bool {
        switch locked.gap {
        case .events(let events):
            guard !events.isEmpty else { return false }
            tell(events)
        case .users(let users): skip(users, in: locked.head.partition)
        }
        reach(locked.head)
        return true
    }

    /// Records batches of a statement for whose partitions others came first.
    func cameTooLate(_ partitions: Set<Partition>) {
        guard !partitions.isEmpty else { return }
        let now = context.clock.monotonic()
        for partition in partitions { contention.cameTooLate(partition, at: now) }
        context.contention.count(late: partitions.count)
    }
}
