import EventStore
import FocusCore
import Logging

extension LaneWorker {
    /// Hands the projector what changed since the last time in the partition that has been due longest. One a turn:
    /// appends do not wait for all of them.
    func project() throws {
        let now = context.clock.monotonic()
        guard let partition = backlog.due(now: now, pauseMilliseconds: configuration.pauseMilliseconds) else { return }
        // Those whose events cannot be folded hold the checkpoint back, and nobody else.
        let users = backlog.users(of: partition, limit: configuration.usersPerProjection) {
            !self.users.isQuarantined($0)
        }
        let missing = users.filter { self.users[$0] == nil }
        try load(Set(missing.prefix(configuration.loadsPerProjection)))
        handOver(partition, users.compactMap { self.users[$0] })
    }

    private func handOver(_ partition: Partition, _ users: [CachedUser]) {
        let now = context.clock.monotonic()
        let later = now.adding(milliseconds: configuration.projectionMilliseconds)
        guard !users.isEmpty else { return backlog.postpone(partition, until: later) }
        var report = ProjectionReport(
            checkpoint: .zero, generation: tails[partition].generation, epoch: backlog.epoch, users: [:])
        var projected: [ProjectedUser] = []
        var rowCount = 0
        for user in users {
            guard rowCount < configuration.rowsPerProjection else { break }
            rowCount += user.dirty.count
            projected.append(user.projected(dueAt: dueTime(of: user)))
            report.versions[user.id] = user.state.version
            report.users[user.id] = (offset: .zero, keys: user.dirty)
            user.dirty = []
        }
        let isFull = rowCount >= configuration.rowsPerProjection
        let (offsets, base, checkpoint) = backlog.write(
            projected.map(\.user), of: partition, head: tails[partition].nextOffset,
            gatheringUntil: isFull ? now : later)
        for (id, offset) in offsets { report.users[id]?.offset = offset }
        report.checkpoint = checkpoint
        projector.post(
            ProjectionBatch(
                partition: partition, generation: report.generation, base: base, checkpoint: checkpoint,
                anchor: tails[partition].anchor, timeline: tails.timeline, users: projected), report)
    }

    /// The projector is done with a batch: what was written is no longer dirty; what was not is dirty again.
    func projected(_ partition: Partition, _ report: ProjectionReport) throws {
        guard report.epoch == backlog.epoch else { return }
        backlog.wrote(partition)
        // Of a generation that is shown no more: what the one that is lacks was found when it came.
        guard report.generation == tails[partition].generation else { return }
        switch report.result {
        case .written(let missing, let checkpoint):
            for (id, written) in report.users where !missing.contains(id) {
                backlog.isWritten(id, through: written.offset, in: partition)
                if let user = users[id] {
                    user.projectedVersion = max(user.projectedVersion, report.versions[id] ?? .zero)
                } else {
                    forgetDueTime(of: id, partition)
                }
            }
            // Their rows would have a hole: they are loaded again, and then have dirty what the read model lacks.
            for id in missing { forget(id) }
            backlog.advance(partition, to: min(checkpoint, tails[partition].nextOffset))
        case .fellBack(let checkpoint):
            markDirty(report)
            try fallBack(partition, to: checkpoint)
        case .failed:
            markDirty(report)
            let pause = configuration.projectionMilliseconds * 5
            backlog.retry(partition, at: context.clock.monotonic().adding(milliseconds: pause))
        }
    }

    private func markDirty(_ report: ProjectionReport) {
        for (id, written) in report.users { users[id]?.dirty.formUnion(written.keys) }
    }

    /// A partition in which nothing happens writes nothing, and would never hear that what it wrote was lost.
    func lookForLoss() throws {
        let found = try store.timeline()
        guard found == tails.timeline else { return try projectAgain(on: found) }
        for (partition, checkpoint) in try store.checkpoints(of: tails.known)
        where checkpoint < backlog.checkpoint(of: partition) {
            try fallBack(partition, to: checkpoint)
        }
    }

    /// Another server took over. What was flushed on the one before it need not have reached it, and its checkpoint
    /// says nothing of rows that were written while it stayed where it was: all that is past it is projected again.
    private func projectAgain(on found: Timeline) throws {
        context.logger.notice("another PostgreSQL server took over", metadata: ["timeline": "\(found.name)"])
        let checkpoints = try store.checkpoints(of: tails.known)
        backlog.beginEpoch()
        for (partition, checkpoint) in checkpoints {
            try fallBack(partition, to: min(checkpoint, tails[partition].nextOffset))
        }
        tails.move(to: found)
    }

    /// PostgreSQL crashed and lost projections that were not flushed (the log loses nothing): everybody with events since
    /// then is loaded again and projected again.
    private func fallBack(_ partition: Partition, to checkpoint: LogOffset) throws {
        context.logger.warning(
            "read model fell back with PostgreSQL's crash; projecting again",
            metadata: ["partition": "\(partition)", "from": "\(checkpoint)"])
        let lacking = try store.users(partition: partition, in: checkpoint..<tails[partition].nextOffset)
        backlog.regress(partition, to: checkpoint, lacking: lacking)
        for user in lacking {
            due.forget(user.user)
            forget(user.user)
        }
    }
}
