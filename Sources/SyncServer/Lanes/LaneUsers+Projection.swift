import EventStore
import FocusCore

/// Rows that changed go to the read model in batches, a partition's at a time: what changes often is written once.
extension LaneUsers {
    /// The partition that is to be written, and users to be loaded first. Nil: none is.
    func dueProjection() -> (partition: Partition, missing: Set<UserID>)? {
        let now = context.clock.monotonic()
        guard let partition = backlog.due(now: now, pauseMilliseconds: configuration.pauseMilliseconds) else {
            return nil
        }
        let missing = usersToProject(partition).filter { resident[$0] == nil }
        return (partition, Set(missing.prefix(configuration.loadsPerProjection)))
    }

    /// Those whose events cannot be folded hold the checkpoint back, and nobody else.
    private func usersToProject(_ partition: Partition) -> [UserID] {
        backlog.users(of: partition, limit: configuration.usersPerProjection) { !resident.isQuarantined($0) }
    }

    /// What changed since the last time, of the partition's users in memory. Nil: nobody could be loaded.
    func makeBatch(_ head: PartitionHead, _ timeline: Timeline?) -> (ProjectionBatch, ProjectionReport)? {
        let now = context.clock.monotonic()
        let later = now.adding(milliseconds: configuration.projectionMilliseconds)
        let users = usersToProject(head.partition).compactMap { resident[$0] }
        guard !users.isEmpty else {
            backlog.postpone(head.partition, until: later)
            return nil
        }
        var report = ProjectionReport(
            checkpoint: .zero, generation: head.generation, epoch: backlog.epoch, users: [:])
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
            projected.map(\.user), of: head.partition, head: head.nextOffset, gatheringUntil: isFull ? now : later)
        for (id, offset) in offsets { report.users[id]?.offset = offset }
        report.checkpoint = checkpoint
        let batch = ProjectionBatch(
            partition: head.partition, generation: report.generation, base: base, checkpoint: checkpoint,
            anchor: head.anchor, timeline: timeline, users: projected)
        return (batch, report)
    }

    /// The projector is done with a batch: what was written is no longer dirty; what was not is dirty again.
    /// - Returns: where the read model fell back to; nil: it did not.
    func projected(_ report: ProjectionReport, _ head: PartitionHead) -> LogOffset? {
        guard report.epoch == backlog.epoch else { return nil }
        backlog.wrote(head.partition)
        // Of a generation that is shown no more: what the one that is lacks was found when it came.
        guard report.generation == head.generation else { return nil }
        switch report.result {
        case .written(let missing, let checkpoint):
            isWritten(report, head.partition, except: missing)
            backlog.advance(head.partition, to: min(checkpoint, head.nextOffset))
            return nil
        case .fellBack(let checkpoint):
            markDirty(report)
            return checkpoint
        case .failed:
            markDirty(report)
            let pause = configuration.projectionMilliseconds * 5
            backlog.retry(head.partition, at: context.clock.monotonic().adding(milliseconds: pause))
            return nil
        }
    }

    private func isWritten(_ report: ProjectionReport, _ partition: Partition, except missing: Set<UserID>) {
        for (id, written) in report.users where !missing.contains(id) {
            backlog.isWritten(id, through: written.offset, in: partition)
            if let user = resident[id] {
                user.projectedVersion = max(user.projectedVersion, report.versions[id] ?? .zero)
            } else {
                forgetDueTime(of: id, partition)
            }
        }
        // Their rows would have a hole: they are loaded again, and then have dirty what the read model lacks.
        for id in missing { forget(id) }
    }

    private func markDirty(_ report: ProjectionReport) {
        for (id, written) in report.users { resident[id]?.dirty.formUnion(written.keys) }
    }
}
