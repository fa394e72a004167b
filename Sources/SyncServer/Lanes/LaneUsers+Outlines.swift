import EventStore
import FocusCore

/// A user who is not in memory and of whom a session that has all rows needs nothing else.
struct OutlinedUser {
    /// Without the rows that devices get: it tells heads, devices and incarnations, and nothing is folded into it.
    let user: CachedUser
    /// The digests of those rows.
    let digests: StoredDigests
}

/// A session with a current cursor is admitted by an outline of its user: a look-up, and not a load.
///
/// It is then as a session whose user left memory the moment after. An outline is of the moment that the look-up saw, so
/// it lives until the lane has admitted who waits, in the turn in which it came, and only if nothing was told of the user
/// since they were asked for.
extension LaneUsers {
    func keep(_ outline: UserOutline, _ id: UserID, _ partition: Partition) {
        let missed = loads.remove(id).contains { $0.offset >= outline.head.nextOffset }
        // Others may have begun to wait for the user, whom an outline does not serve.
        if missed || isAwaited(id) { loads.need(id, inFull: true) }
        guard !missed, resident.isAwaitingLoad(id) else { return }
        context.loads.count(lookedUp: 1)
        let user = CachedUser(
            id: id, partition: partition, generation: outline.head.generation, state: outline.state, dirty: [],
            projectedVersion: outline.state.version, lastUsed: context.clock.monotonic().milliseconds)
        outlines[id] = OutlinedUser(user: user, digests: outline.digests)
    }

    /// Whether a look for users who are due, or a batch for the read model, waits until the user is in memory.
    func isAwaited(_ id: UserID) -> Bool { due.awaits(id) || backlog.awaits(id, in: context.log.partition(of: id)) }

    /// Drops all outlines: those who waited for them are admitted, or have their users loaded.
    func forgetOutlines() { if !outlines.isEmpty { outlines = [:] } }

    /// Has the digest sums written of users whose checkpoint has just made them, and whom the read model shows without.
    /// - Parameter head: gives a partition's head as the lane knows it.
    func keepDigests(of ids: [UserID], head: (Partition) -> PartitionHead) {
        for id in ids {
            guard let user = resident[id], user.lacksDigests else { continue }
            markForProjection(user, head(user.partition))
        }
    }
}
