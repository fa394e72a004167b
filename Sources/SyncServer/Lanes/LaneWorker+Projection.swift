import EventStore
import FocusCore
import Logging

extension LaneWorker {
    /// Hands the projector what changed since the last time in the partition that has been due longest. One a turn:
    /// appends do not wait for all of them.
    func project() throws {
        let now = context.clock.monotonic()
        let due = partitions.filter { isDue($0.value, now) }
            .min { ($0.value.gathersUntil, $0.key) < ($1.value.gathersUntil, $1.key) }
        guard let (partition, state) = due else { return }
        // Those whose events cannot be folded hold the checkpoint back, and nobody else.
        let users = state.unprojected.keys.filter { quarantined[$0] == nil }.sorted()
            .prefix(configuration.usersPerProjection)
        let missing = users.filter { self.users[$0] == nil }
        try load(Set(missing.prefix(configuration.loadsPerProjection)))
        handOver(partition, users.filter { self.users[$0] != nil })
    }

    private func isDue(_ state: PartitionState, _ now: MonotonicTime) -> Bool {
        !state.isProjecting && !state.unprojected.isEmpty && projectionTime(of: state) <= now
    }

    /// When what the partition gathered is to be written.
    func projectionTime(of state: PartitionState) -> MonotonicTime {
        max(state.retriesAt, min(state.gathersUntil, lastGrowth.adding(milliseconds: configuration.pauseMilliseconds)))
    }

    private func handOver(_ partition: Partition, _ ids: [UserID]) {
        guard var state = partitions[partition] else { return }
        let now = context.clock.monotonic()
        state.gathersUntil = now.adding(milliseconds: configuration.projectionMilliseconds)
        guard !ids.isEmpty else {
            state.retriesAt = state.gathersUntil
            partitions[partition] = state
            return
        }
        var report = ProjectionReport(
            checkpoint: .zero, generation: state.head.generation, beginnings: beginnings, users: [:])
        var projected: [ProjectedUser] = []
        var rowCount = 0
        for id in ids {
            guard rowCount < configuration.rowsPerProjection else { break }
            guard let user = users[id] else { continue }
            rowCount += user.dirty.count
            // One copy of the state for all its rows.
            let folded = user.state
            let rows = user.dirty.map { ProjectedRow($0, folded.row($0), appearedAt: folded.appearance(of: $0)) }
            projected.append(
                ProjectedUser(
                    user: id, version: user.state.version, base: user.projectedVersion, rows: rows,
                    dueAt: dueTime(of: user)))
            report.versions[id] = user.state.version
            report.users[id] = (offset: state.unprojected[id] ?? .zero, keys: user.dirty)
            user.dirty = []
        }
        // Whoever is left out keeps the checkpoint below the first of his events that is not written.
        let isWhole = report.users.count == state.unprojected.count
        if rowCount >= configuration.rowsPerProjection { state.gathersUntil = now }
        report.checkpoint = isWhole ? state.head.nextOffset : state.checkpoint
        state.isProjecting = true
        partitions[partition] = state
        projector.post(
            ProjectionBatch(
                partition: partition, generation: state.head.generation, base: state.checkpoint,
                checkpoint: report.checkpoint, anchor: connection.anchors[partition], timeline: timeline,
                users: projected), report)
    }

    /// The projector is done with a batch: what was written is no longer owed; what was not is owed again.
    func projected(_ partition: Partition, _ report: ProjectionReport) throws {
        guard report.beginnings == beginnings else { return }
        partitions[partition]?.isProjecting = false
        // Of a generation that is shown no more: what the one that is lacks was found when it came.
        guard report.generation == partitions[partition]?.head.generation else { return }
        switch report.result {
        case .written(let missing, let checkpoint):
            for (id, written) in report.users where !missing.contains(id) {
                if partitions[partition]?.unprojected[id] == written.offset {
                    partitions[partition]?.unprojected[id] = nil
                }
                if let user = users[id] {
                    user.projectedVersion = max(user.projectedVersion, report.versions[id] ?? .zero)
                } else {
                    forgetDueTime(of: id, partition)
                }
            }
            // Their rows would have a hole: they are loaded again, and then owe what the read model lacks.
            for id in missing { forget(id) }
            if let known = partitions[partition] {
                partitions[partition]?.checkpoint = max(known.checkpoint, min(checkpoint, known.head.nextOffset))
            }
        case .fellBack(let checkpoint):
            owe(report)
            try fallBack(partition, to: checkpoint)
        case .failed:
            owe(report)
            let pause = configuration.projectionMilliseconds * 5
            partitions[partition]?.retriesAt = context.clock.monotonic().adding(milliseconds: pause)
        }
    }

    private func owe(_ report: ProjectionReport) {
        for (id, written) in report.users { users[id]?.dirty.formUnion(written.keys) }
    }

    /// A partition in which nothing happens writes nothing, and would never hear that what it wrote was lost.
    func lookForLoss() throws {
        let found = try store.timeline()
        guard found == timeline else { return try projectAgain(on: found) }
        for (partition, checkpoint) in try store.checkpoints(of: partitions.values.map(\.head)) {
            guard let known = partitions[partition], checkpoint < known.checkpoint else { continue }
            try fallBack(partition, to: checkpoint)
        }
    }

    /// Another server took over. What was flushed on the one before it need not have reached it, and its checkpoint
    /// says nothing of rows that were written while it stayed where it was: all that is past it is projected again.
    private func projectAgain(on found: Timeline) throws {
        context.logger.notice("another PostgreSQL server took over", metadata: ["timeline": "\(found.name)"])
        let checkpoints = try store.checkpoints(of: partitions.values.map(\.head))
        // Batches under way were written before, or will not be.
        beginnings += 1
        for partition in partitions.keys { partitions[partition]?.isProjecting = false }
        for (partition, checkpoint) in checkpoints {
            guard let known = partitions[partition] else { continue }
            try fallBack(partition, to: min(checkpoint, known.head.nextOffset))
        }
        confirmed.forget()
        timeline = found
    }

    /// PostgreSQL crashed and lost projections that were not flushed (the log loses nothing): everybody with events since
    /// then is loaded again and projected again.
    private func fallBack(_ partition: Partition, to checkpoint: LogOffset) throws {
        guard var state = partitions[partition] else { return }
        context.logger.warning(
            "read model fell back with PostgreSQL's crash; projecting again",
            metadata: ["partition": "\(partition)", "from": "\(checkpoint)"])
        state.checkpoint = checkpoint
        for owed in try store.users(partition: partition, in: checkpoint..<state.head.nextOffset) {
            state.unprojected[owed.user] = owed.lastOffset
            due.forget(owed.user)
            forget(owed.user)
        }
        partitions[partition] = state
    }
}
