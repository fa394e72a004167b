import FocusCore

@testable import EventStore

/// What PostgreSQL loses when it crashes, when another server takes over, or when a backup is restored.
extension SimulatedLog {
    /// Everything projected so far reaches the disk and the standby.
    func flush() { (flushed, replica) = (model, model) }

    /// The number of commits.
    var commits: Int { journal.count }

    /// Resets the database to an earlier commit, not before `alteredAt`.
    /// - Returns: the partitions that lost nothing.
    func restore(to commits: Int) -> Set<Partition> {
        journal.removeLast(max(0, journal.count - max(commits, alteredAt)))
        var counts: [Partition: Int] = [:]
        model = SimulatedReadModel(identity.allPartitions, foldVersion: FocusCore.foldVersion)
        for commit in journal {
            switch commit {
            case .append(let partition, let count): counts[partition, default: 0] += count
            case .readModel(let restored): model = restored
            }
        }
        let whole = identity.allPartitions.filter { counts[$0, default: 0] == events[$0]?.count ?? 0 }
        for partition in identity.allPartitions {
            events[partition] = Array((events[partition] ?? []).prefix(counts[partition, default: 0]))
        }
        timeline = Timeline(name: timeline.name + "r")
        hasLostRows = true
        locks.releaseAll()
        flush()
        witness.fellBack(to: counts)
        return Set(whole)
    }

    /// PostgreSQL crashes and recovers: the log is complete, and projections that were not flushed are lost.
    func loseProjections() {
        model = flushed
        hasLostRows = true
        journal.append(.readModel(model))
        locks.releaseAll()
    }

    /// The standby takes over: the log is complete, and projections that had not reached the standby are lost.
    func failOver() {
        model = replica
        hasLostRows = true
        flush()
        timeline = Timeline(name: timeline.name + "1")
        journal.append(.readModel(model))
        locks.releaseAll()
    }
}
