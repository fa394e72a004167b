import EventStore
import FocusCore
import Logging

extension LaneLog {
    /// Loads the users, a batch in one statement. Afterwards each of them was told as loaded or as unloadable.
    func load(_ users: [UserID]) throws {
        var missing = users[...]
        while !missing.isEmpty {
            let some = missing.prefix(context.configuration.usersPerLoad).map { (context.log.partition(of: $0), $0) }
            missing.removeFirst(some.count)
            let loaded = try ask { try $0.load(some) }
            var ahead: [PartitionHead] = []
            for (partition, id) in some {
                switch loaded[id] {
                case .success(let user):
                    // The log is further than this lane knows: the others of the partition have to catch up.
                    if try tails.isBehind(user.head) { ahead.append(user.head) }
                    tell(.loaded(user, id, partition))
                case .failure(let error): tell(.unloadable(id, error))
                case nil: tell(.unloadable(id, UserNotLoaded()))
                }
            }
            // The lane follows to exactly the heads that the loads saw. A newer look could find a log that has lost what
            // the loaded states hold, and an event appended to such a state leaves a gap in its user's versions for ever.
            for head in ahead.sorted(by: { ($0.nextOffset, $0.generation) < ($1.nextOffset, $1.generation) }) {
                try catchUp(to: head)
            }
        }
    }

    /// The event that gave the user the version.
    func event(of user: CachedUser, at version: Version) throws -> EventID? {
        try ask { try $0.event(of: user.id, partition: user.partition, at: version) }
    }

    // MARK: The read model

    /// A page of due users of each partition, of those whom the read model names.
    func dueUsers(_ scan: inout DueScan, limit: Int) throws -> [DueUser] {
        let limit = max(1, limit / max(1, scan.places.count))
        var page: [DueUser] = []
        // One generation, but for the time of a cut-over.
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

    /// Looks whether the log, or what the read model had, was lost: a partition in which nothing happens writes nothing,
    /// and would never hear of it.
    /// - Parameter known: the checkpoint that the lane knows.
    func lookForLoss(_ known: (Partition) -> LogOffset) throws {
        try ask { try $0.verifyAnchors() }
        if !context.format.hasIncarnations { context.format.raise(to: try ask { try $0.logFormat() }) }
        let timeline = try ask { try $0.timeline() }
        guard timeline == tails.timeline else { return try projectAgain(on: timeline) }
        for (partition, checkpoint) in try ask({ try $0.checkpoints(of: tails.known) })
        where checkpoint < known(partition) {
            try checkpointRegressed(partition, to: checkpoint)
        }
    }

    /// Another server took over. What was flushed on the one before it need not have reached it, and its checkpoint says
    /// nothing of rows that were written while it stayed where it was: all that is past it is projected again.
    private func projectAgain(on timeline: Timeline) throws {
        context.logger.notice("another PostgreSQL server took over", metadata: ["timeline": "\(timeline.name)"])
        let checkpoints = try ask { try $0.checkpoints(of: tails.known) }
        tell(.readModelIsAnother)
        for (partition, checkpoint) in checkpoints {
            try checkpointRegressed(partition, to: min(checkpoint, tails[partition].nextOffset))
        }
        tails.move(to: timeline)
    }

    /// PostgreSQL crashed and lost projections that were not flushed (the log loses nothing): everybody with events since
    /// then is loaded again and projected again.
    func checkpointRegressed(_ partition: Partition, to checkpoint: LogOffset) throws {
        context.logger.warning(
            "read model fell back with PostgreSQL's crash; projecting again",
            metadata: ["partition": "\(partition)", "from": "\(checkpoint)"])
        let lacking = try users(checkpoint, tails[partition])
        tell(.checkpointRegressed(partition, to: checkpoint, lacking: lacking))
    }
}

/// The store did not answer for a user that it was asked for.
struct UserNotLoaded: Error {}
