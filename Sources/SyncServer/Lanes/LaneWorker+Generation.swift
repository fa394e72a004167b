import EventStore
import FocusCore
import Logging

extension LaneWorker {
    /// The partition has events, or a generation, that this lane does not know yet. Throws `LogFellBack` when it has fewer.
    func isAhead(_ head: PartitionHead) throws -> Bool {
        guard let known = partitions[head.partition]?.head else { return false }
        guard head.nextOffset >= known.nextOffset else { throw LogFellBack(head.partition) }
        return head.nextOffset > known.nextOffset || head.generation != known.generation
    }

    /// A rebuild cut the partition over. States that came from the generation before are dropped, whatever they owed to
    /// its tables: they are loaded from the one that is shown now, and every session gets what it shows differently.
    func changeGeneration(to head: PartitionHead) throws {
        let partition = head.partition
        guard var state = partitions[partition] else { return }
        context.logger.notice(
            "another generation of the read model is shown",
            metadata: [
                "partition": "\(partition)", "from": "\(state.head.generation)", "to": "\(head.generation)",
            ])
        // Whoever was loaded from the new one a moment ago may lack what was appended since.
        for user in users.values where user.partition == partition { forget(user.id) }
        connection.anchors.merge(try store.anchors(of: [head])) { $1 }
        state.head = head
        state.checkpoint = min(try store.checkpoints(of: [head])[partition] ?? .zero, head.nextOffset)
        state.unprojected = [:]
        for lacking in try store.users(partition: partition, in: state.checkpoint..<head.nextOffset) {
            state.unprojected[lacking.user] = lacking.lastOffset
            if users[lacking.user] == nil { dueTimes[lacking.user] = nil }
        }
        partitions[partition] = state
        // Also those who are not in memory: their rows may have changed.
        wanted.formUnion(sessionsByUser.keys.filter { self.partition(of: $0) == partition })
        for user in peers.watchedUsers where self.partition(of: user) == partition { peers.changed(user) }
        quarantined = quarantined.filter { self.partition(of: $0.key) != partition }
    }
}
