import EventStore
import FocusCore
import Logging

extension LaneWorker {
    /// A rebuild cut the partition over. States of users whose rows are different are dropped, and loaded from the
    /// generation that is shown now; their sessions get what it shows differently. Of the others nothing has to be loaded:
    /// appends would wait for it.
    func changeGeneration(to head: PartitionHead) throws {
        let partition = head.partition
        let known = tails[partition]
        context.logger.notice(
            "another generation of the read model is shown",
            metadata: ["partition": "\(partition)", "from": "\(known.generation)", "to": "\(head.generation)"])
        let changed = try store.changedUsers(of: partition, from: known.generation, to: head.generation)
        let isChanged = { [self] (id: UserID) in self.partition(of: id) == partition && changed?.contains(id) ?? true }
        for user in users.all where isChanged(user.id) { forget(user.id) }
        if try tails.isBehind(head), head.nextOffset > known.nextOffset { try follow(head) }
        let checkpoint = min(try store.checkpoints(of: [head])[partition] ?? .zero, head.nextOffset)
        let lacking = try store.users(partition: partition, in: checkpoint..<head.nextOffset)
        tails.move(to: head)
        backlog.begin(partition, at: checkpoint, lacking: lacking)
        for lacking in lacking {
            // What the read model lacks of them is known for the generation before. They are few.
            if let user = users[lacking.user], user.generation != head.generation { forget(user.id) }
            if users[lacking.user] == nil { due.forget(lacking.user) }
        }
        for user in users.all where user.partition == partition && user.generation != head.generation {
            user.adopt(head.generation)
        }
        // Also those who are not in memory: their rows may have changed.
        for user in sessions.users where isChanged(user) { plan.awaitRows(user) }
        for user in peers.watchedUsers.filter(isChanged) { peers.changed(user) }
        users.endQuarantines { self.partition(of: $0) == partition }
    }
}
