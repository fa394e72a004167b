import EventStore
import FocusCore

/// Changed rows go to the read model in batches, each of one partition, so that a row which changes often is written
/// once.
extension LaneUsers {
    /// The partition whose rows are to be written now, and the users who are to be loaded first. Nil when none is due.
    func dueProjection() -> (partition: Partition, missing: Set<UserID>)? {
        let now = context.clock.monotonic()
        guard let partition = backlog.due(now: now, pauseMilliseconds: configuration.pauseMilliseconds) else {
            return nil
        }
        let missing = usersToProject(partition).filter { resident[$0] == nil }
        return (partition, Set(missing.prefix(configuration.loadsPerProjection)))
    }

    /// The users whose rows the next batch may have. A quarantined user is left out: they hold the checkpoint back, and
    /// nobody else.
    private func usersToProject(_ partition: Partition) -> [UserID] {
        backlog.users(of: partition, limit: configuration.usersPerProjection) { !resident.isQuarantined($0) }
    }

    /// Makes a batch of the dirty rows of the partition's users in memory, and the report that the projector completes.
    /// Nil when nobody could be loaded: the partition is tried again later.
    /// - Parameters:
    ///   - head: the partition's head, up to which the states in memory have all events.
    ///   - timeline: the one on which the read model has what the lane believes it to have.
    func makeBatch(_ head: PartitionHead, _ timeline: Timeline?) -> (ProjectionBatch, ProjectionReport)? {
        let now = context.clock.monotonic()
        let later = now.adding(milliseconds: configuration.projectionMilliseconds)
        let users = usersToProject(head.partition).compactMap { resident[$0] }
        guard !users.isEmpty else {
            backlog.postpone(head.partition, until: later)
            return nil
        }
        var report = ProjectionReport(generation: head.generation, epoch: backlog.epoch)
        var projected: [ProjectedUser] = []
        var rowCount = 0
        for user in users {
            guard rowCount < configuration.rowsPerProjection else { break }
            rowCount += user.dirty.count
            projected.append(user.projected(dueAt: dueTime(of: user)))
            report.users[user.id] = ProjectionReport.Part(version: user.state.version, keys: user.dirty)
            user.dirty = []
        }
        let isFull = rowCount >= configuration.rowsPerProjection
        let (offsets, base, checkpoint) = backlog.write(
            projected.map(\.user), of: head.partition, head: head.nextOffset, gatheringUntil: isFull ? now : later)
        for (id, offset) in offsets { report.users[id]?.offset = offset }
        let batch = ProjectionBatch(
            partition: head.partition, generation: report.generation, base: base, checkpoint: checkpoint,
            anchor: head.anchor, timeline: timeline, users: projected)
        return (batch, report)
    }

    /// Takes up the projector's report of a batch: users who were written leave the backlog, and rows that were not
    /// written are dirty again.
    /// - Returns: the checkpoint that the read model fell back to; nil when it did not.
    func projected(_ report: ProjectionReport, _ head: PartitionHead) -> LogOffset? {
        // In an earlier epoch: what the read model lacks was read anew since.
        guard report.epoch == backlog.epoch else { return nil }
        backlog.wrote(head.partition)
        // The batch was for a generation that is no longer shown. What the new one lacks was read when it was adopted.
        guard report.generation == head.generation else { return nil }
        switch report.result {
        case .written(let missing, let checkpoint):
            isWritten(report, head.partition, except: missing)
            backlog.advance(head.partition, to: min(checkpoint, head.nextOffset))
            return nil
        case .checkpointRegressed(let checkpoint):
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
                user.projectedVersion = max(user.projectedVersion, written.version)
            } else {
                forgetDueTime(of: id, partition)
            }
        }
        // The read model has less of these users than their batch began from, so the batch would have left a hole. When
        // they are loaded again, all that the read model lacks is dirty.
        for id in missing { forget(id) }
    }

    private func markDirty(_ report: ProjectionReport) {
        for (id, written) in report.users { resident[id]?.dirty.formUnion(written.keys) }
    }
}
