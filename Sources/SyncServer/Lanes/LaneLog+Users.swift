import EventStore
import FocusCore
import Logging

extension LaneLog {
    /// The id of the event that has this version of the user's stream; nil when the log has none.
    func event(of user: CachedUser, at version: Version) throws -> EventID? {
        try ask { try $0.event(of: user.id, partition: user.partition, at: version) }
    }

    // MARK: The read model

    /// The next page of the scan: users of each partition who are due by the read model. Moves the scan on. Throws
    /// `EventStoreError.noGeneration` when the generation that the lane knows was dropped.
    /// - Parameter limit: about how many users all partitions together give.
    func dueUsers(_ scan: inout DueScan, limit: Int) throws -> [DueUser] {
        let limit = max(1, limit / max(1, scan.places.count))
        var page: [DueUser] = []
        // All partitions show one generation, except while a rebuild cuts them over.
        let places = Dictionary(grouping: scan.places) { tails[$0.key].generation }
        for (generation, places) in places {
            page += try ask {
                try $0.dueUsers(
                    after: Dictionary(uniqueKeysWithValues: places.map { ($0.key, $0.value) }), until: scan.until,
                    limit: limit, generation: generation)
            }
        }
        scan.advance(past: page, limit: limit)
        return page
    }

    /// Checks whether the log or the read model has lost something that the lane knows it to have. A partition in which
    /// nothing happens needs this check: it writes nothing, and a writer alone would notice. It also learns of a log
    /// format that was raised. Throws `LogTruncated`.
    /// - Parameter known: gives the checkpoint of a partition as the lane knows it.
    func checkForLoss(_ known: (Partition) -> LogOffset) throws {
        try ask { try $0.verifyAnchors() }
        if !context.format.isNewest { context.format.raise(to: try ask { try $0.logFormat() }) }
        let timeline = try ask { try $0.timeline() }
        guard timeline == tails.timeline else { return try projectAgain(on: timeline) }
        for (partition, checkpoint) in try ask({ try $0.checkpoints(of: tails.known) }) {
            if checkpoint.offset < known(partition) {
                try checkpointRegressed(partition, to: checkpoint)
            } else {
                // Who lacks only events that the lane does not know yet is told with these.
                let laggards = checkpoint.laggards.filter { $0.value < tails[partition].nextOffset }
                if !laggards.isEmpty { tell(.laggards(laggards, partition)) }
            }
        }
    }

    /// Projects everything past the checkpoints again, because another PostgreSQL server took over. It may lack commits
    /// that were flushed on the server before it, and a checkpoint does not show the loss of rows that were written
    /// while it stayed where it was.
    private func projectAgain(on timeline: Timeline) throws {
        context.logger.notice("another PostgreSQL server took over", metadata: ["timeline": "\(timeline.name)"])
        let checkpoints = try ask { try $0.checkpoints(of: tails.known) }
        tell(.serverIsAnother)
        tell(.readModelIsAnother)
        for (partition, checkpoint) in checkpoints {
            try checkpointRegressed(partition, to: checkpoint)
        }
        tails.move(to: timeline)
    }

    /// Tells that the partition's checkpoint is further back than the lane believed, because PostgreSQL crashed and
    /// lost projections that were not flushed. The log has lost nothing. Users with events from the checkpoint on are
    /// loaded and projected again.
    private func checkpointRegressed(_ partition: Partition, to checkpoint: Checkpoint) throws {
        context.logger.warning(
            "read model fell back with PostgreSQL's crash; projecting again",
            metadata: ["partition": "\(partition)", "from": "\(checkpoint.offset)"])
        let (offset, lacking) = try lacking(checkpoint, tails[partition])
        tell(.checkpointRegressed(partition, to: offset, lacking: lacking))
    }

    /// Looks up where the partition's read model stands, because a projector found that it fell back.
    func checkpointRegressed(_ partition: Partition) throws {
        do {
            let checkpoint = try ask { try $0.checkpoints(of: [tails[partition]]) }[partition]
            try checkpointRegressed(partition, to: checkpoint ?? .zero)
        } catch EventStoreError.noGeneration {
            // Another generation is shown by now. When the lane changes to it, it reads what that one lacks.
            tails.mayHaveMoved = true
        }
    }
}
