import EventStore
import FocusCore
import Logging

/// Changed rows go to the read model in batches, each of one partition, so that a row which changes often is written
/// once.
extension LaneUsers {
    /// The partitions of which batches are to be made now: those whose users have just been loaded for it, and one more
    /// at most, so that appends do not wait for all partitions. One that lacks users in memory awaits them first.
    func dueProjections() -> [Partition] {
        let now = context.clock.monotonic()
        let ready = backlog.ready
        guard ready.isEmpty else { return ready }
        guard let partition = backlog.due(now: now, pauseMilliseconds: configuration.pauseMilliseconds) else {
            return []
        }
        backlog.endSetAside(partition, now: now)
        let oldest = backlog.users(of: partition, limit: usersPerBatch(partition)) { !resident.hasFailed($0) }
        var missing = Array(oldest.filter { resident[$0] == nil }.prefix(configuration.loadsPerProjection))
        // Those who failed are tried again beside the others: however many they are, everybody's turn comes.
        let places = max(1, configuration.loadsPerProjection / 4)
        missing += resident.failed(limit: places) { backlog.isBehind($0, in: partition) }
        guard missing.isEmpty else {
            backlog.wait(for: Set(missing), in: partition)
            for id in missing { loads.need(id) }
            return []
        }
        return [partition]
    }

    private func usersPerBatch(_ partition: Partition) -> Int {
        backlog.limit(of: partition, usual: configuration.usersPerProjection)
    }

    /// Makes a batch of the dirty rows of the partition's users in memory, and the report that the projector completes.
    /// A quarantined user is left out and holds back nobody, nor does one who has not been loaded since. Nil when nobody
    /// could be loaded and the checkpoint cannot move: the partition is tried again later.
    /// - Parameters:
    ///   - head: the partition's head, up to which the states in memory have all events.
    ///   - timeline: the one on which the read model has what the lane believes it to have.
    func makeBatch(_ head: PartitionHead, _ timeline: Timeline?) -> (ProjectionBatch, ProjectionReport)? {
        let now = context.clock.monotonic()
        let later = now.adding(milliseconds: configuration.projectionMilliseconds)
        let users = backlog.users(of: head.partition, limit: usersPerBatch(head.partition)) { resident[$0] != nil }
            .compactMap { resident[$0] }
        var report = ProjectionReport(generation: head.generation, epoch: backlog.epoch)
        var projected: [ProjectedUser] = []
        var room = (rows: configuration.rowsPerProjection, bytes: configuration.bytesPerProjection)
        for user in users {
            guard room.rows > 0, room.bytes > 0 else { break }
            projected.append(user.projected(dueAt: dueTime(of: user)))
            room.rows -= projected[projected.count - 1].rowCount
            room.bytes -= projected[projected.count - 1].bytes
            report.users[user.id] = ProjectionReport.Part(
                version: user.state.version, keys: user.dirty.keys,
                hasDigests: projected[projected.count - 1].digests != nil)
            user.dirty = DirtyRows()
            recount(user)
        }
        let isFull = room.rows <= 0 || room.bytes <= 0
        let cover = backlog.write(
            projected.map(\.user), of: head.partition, head: head.nextOffset, gatheringUntil: isFull ? now : later,
            cannotBeWritten: resident.hasFailed)
        guard !projected.isEmpty || cover.checkpoint > cover.base else {
            backlog.wrote(head.partition)
            backlog.postpone(head.partition, until: later)
            return nil
        }
        if cover.isCut { backlog.postpone(head.partition, until: now) }
        for (id, offset) in cover.offsets { report.users[id]?.offset = offset }
        let batch = ProjectionBatch(
            partition: head.partition, generation: report.generation, base: cover.base, checkpoint: cover.checkpoint,
            end: cover.end, passed: cover.passed, anchor: head.anchor, timeline: timeline, users: projected)
        return (batch, report)
    }

    /// Takes up the projector's report of a batch: users who were written leave the backlog, and rows that were not
    /// written are dirty again.
    /// - Returns: whether the read model fell back, so that what it lacks is to be read anew.
    func projected(_ report: ProjectionReport, _ head: PartitionHead) -> Bool {
        // In an earlier epoch: what the read model lacks was read anew since.
        guard report.epoch == backlog.epoch else { return false }
        backlog.wrote(head.partition)
        // The batch was for a generation that is no longer shown. What the new one lacks was read when it was adopted.
        guard report.generation == head.generation else { return false }
        switch report.result {
        case .written(let missing, let checkpoint):
            backlog.wasTaken(
                true, count: report.users.count, of: head.partition, usual: configuration.usersPerProjection)
            isWritten(report, head.partition, except: missing)
            backlog.advance(head.partition, to: min(checkpoint, head.nextOffset))
            return false
        case .checkpointRegressed:
            markDirty(report)
            return true
        case .failed:
            markDirty(report)
            let pause = configuration.projectionMilliseconds * 5
            backlog.retry(head.partition, at: context.clock.monotonic().adding(milliseconds: pause))
            return false
        case .refused:
            markDirty(report)
            isRefused(report, head.partition)
            return false
        }
    }

    /// Finds out whose rows the database refuses: the next batch has half of the users. One who is refused alone is not
    /// projected for a while, so that the others are. Devices of theirs notice nothing: the log has all their events.
    private func isRefused(_ report: ProjectionReport, _ partition: Partition) {
        let now = context.clock.monotonic()
        if report.users.count == 1, let user = report.users.keys.first {
            context.logger.error("the database refuses the rows of a user", metadata: ["user": "\(user)"])
            let end = now.adding(milliseconds: configuration.quarantineMilliseconds)
            backlog.setAside(user, of: partition, until: end)
        }
        backlog.wasTaken(
            false, count: report.users.count, of: partition, usual: configuration.usersPerProjection)
        backlog.postpone(partition, until: now)
    }

    private func isWritten(_ report: ProjectionReport, _ partition: Partition, except missing: Set<UserID>) {
        for (id, written) in report.users where !missing.contains(id) {
            backlog.isWritten(id, through: written.offset, in: partition)
            if let user = resident[id] {
                user.projectedVersion = max(user.projectedVersion, written.version)
                if written.hasDigests { user.digestedVersion = max(user.digestedVersion, written.version) }
            } else {
                forgetDueTime(of: id, partition)
            }
        }
        // The read model has less of these users than their batch began from, so the batch would have left a hole. When
        // they are loaded again, all that the read model lacks is dirty.
        for id in missing {
            backlog.isMissing(id, in: partition)
            forget(id)
            loads.outdate(id)
        }
    }

    private func markDirty(_ report: ProjectionReport) {
        for (id, written) in report.users {
            if let user = resident[id] {
                user.dirty.add(written.keys)
                recount(user)
            } else {
                // Whoever has the state at the moment does not know that these rows are dirty again.
                loads.outdate(id)
            }
        }
    }
}
