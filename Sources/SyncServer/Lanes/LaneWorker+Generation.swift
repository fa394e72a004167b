import EventStore
import FocusCore
import Logging

extension LaneWorker {
    /// The partition has events, or a generation, that this lane does not know yet. Throws `LogFellBack` when it has
    /// fewer, or others.
    func isAhead(_ head: PartitionHead) throws -> Bool {
        guard let known = partitions[head.partition]?.head else { return false }
        guard head.nextOffset >= known.nextOffset else { throw LogFellBack(head.partition) }
        guard head.nextOffset > known.nextOffset || head.anchor == known.anchor else {
            throw LogFellBack(head.partition)
        }
        return head.nextOffset > known.nextOffset || head.generation != known.generation
    }

    /// A rebuild cut the partition over. States of users whose rows are different are dropped, and loaded from the
    /// generation that is shown now; their sessions get what it shows differently. Of the others nothing has to be loaded:
    /// appends would wait for it.
    func changeGeneration(to head: PartitionHead) throws {
        let partition = head.partition
        guard var state = partitions[partition] else { return }
        context.logger.notice(
            "another generation of the read model is shown",
            metadata: [
                "partition": "\(partition)", "from": "\(state.head.generation)", "to": "\(head.generation)",
            ])
        let changed = try store.changedUsers(of: partition, from: state.head.generation, to: head.generation)
        let isChanged = { [self] (id: UserID) in self.partition(of: id) == partition && changed?.contains(id) ?? true }
        for id in users.keys.filter(isChanged) { forget(id) }
        if try isAhead(head), head.nextOffset > state.head.nextOffset { try follow(head, &state) }
        (state.head, connection.anchors[partition]) = (head, head.anchor)
        state.checkpoint = min(try store.checkpoints(of: [head])[partition] ?? .zero, head.nextOffset)
        state.unprojected = [:]
        for lacking in try store.users(partition: partition, in: state.checkpoint..<head.nextOffset) {
            state.unprojected[lacking.user] = lacking.lastOffset
            // What he owes is known for the generation before. They are few.
            if let user = users[lacking.user], user.generation != head.generation { forget(user.id) }
            if users[lacking.user] == nil { due.forget(lacking.user) }
        }
        for user in users.values where user.partition == partition && user.generation != head.generation {
            user.moved(to: head.generation)
        }
        partitions[partition] = state
        // Also those who are not in memory: their rows may have changed.
        for user in sessions.users where isChanged(user) { plan.awaitRows(user) }
        for user in peers.watchedUsers.filter(isChanged) { peers.changed(user) }
        quarantined = quarantined.filter { self.partition(of: $0.key) != partition }
    }
}
