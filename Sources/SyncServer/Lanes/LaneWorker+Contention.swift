import EventStore
import FocusCore

/// Partitions to which other servers append at the same time.
extension LaneWorker {
    /// Appends to those of the contended partitions that something waits for. They are locked first, and the lock is
    /// held only while a bounded number of events is staged and committed: what does not fit goes with the next turn.
    ///
    /// The statement carries nothing for other partitions. Their appends would wait for the lock; and two servers that
    /// locked some partitions and then appended to others could wait for each other.
    func appendLocking(_ contended: Set<Partition>, withDue: Bool) throws {
        let awaited = awaitedPartitions(withDue: withDue).intersection(contended)
        guard !awaited.isEmpty else { return }
        defer { log.unlock() }
        try log.lock(awaited)
        let heads = log.tails.heads.filter { awaited.contains($0.key) }
        try append(
            AppendStaging(context.clock, behind: heads, isLocked: true, beside: users.beside, bounds: appends.bounds),
            withDue: withDue)
    }

    /// The partitions of users in memory for whom a frame or a report waits or, with `withDue`, something
    /// is due.
    private func awaitedPartitions(withDue: Bool) -> Set<Partition> {
        var awaited = withDue ? users.duePartitions() : []
        for id in appends.sessions {
            if let session = sessions[id], let user = users[session.identity.user] { awaited.insert(user.partition) }
        }
        for id in activity.users { if let user = users[id] { awaited.insert(user.partition) } }
        return awaited
    }
}
