import EventStore
import FocusCore
import Logging

extension LaneWorker {
    /// Users of one batch. More follow with the next.
    private static let usersPerBatch = 512
    /// Users that are not in memory, of one batch: each is loaded first.
    private static let loadsPerBatch = 64

    /// Hands the projector what changed since the last time, one batch for each partition that is due.
    func project() throws {
        let now = context.clock.monotonic()
        for (partition, state) in partitions where isDue(state, now) {
            let users = state.unprojected.keys.sorted().prefix(Self.usersPerBatch)
            let missing = users.filter { self.users[$0] == nil && quarantined[$0] == nil }.prefix(Self.loadsPerBatch)
            try load(Set(missing))
            handOver(partition, users.filter { self.users[$0] != nil })
        }
    }

    private func isDue(_ state: PartitionState, _ now: MonotonicTime) -> Bool {
        !state.isProjecting && !state.unprojected.isEmpty && state.nextProjection <= now
    }

    private func handOver(_ partition: Partition, _ ids: [UserID]) {
        guard var state = partitions[partition] else { return }
        let now = context.clock.monotonic()
        state.nextProjection = now.adding(milliseconds: configuration.projectionMilliseconds)
        guard !ids.isEmpty else {
            partitions[partition] = state
            return
        }
        var report = ProjectionReport(checkpoint: .zero, users: [:], generation: state.head.generation)
        var projected: [ProjectedUser] = []
        for id in ids {
            guard let user = users[id] else { continue }
            let rows = user.dirty.map { ($0, user.state.row($0)) }
            projected.append(ProjectedUser(user: id, version: user.state.version, rows: rows))
            report.users[id] = (offset: state.unprojected[id] ?? .zero, keys: user.dirty)
            user.dirty = []
        }
        // Whoever is left out keeps the checkpoint below the first of his events that is not written.
        let isWhole = report.users.count == state.unprojected.count
        report.checkpoint = isWhole ? state.head.nextOffset : state.checkpoint
        state.isProjecting = true
        partitions[partition] = state
        projector.post(
            ProjectionBatch(
                partition: partition, generation: state.head.generation, checkpoint: report.checkpoint,
                users: projected), report)
    }

    /// The projector is done with a batch: what was written is no longer owed; what was not is owed again.
    func projected(_ partition: Partition, _ report: ProjectionReport) {
        guard var state = partitions[partition] else { return }
        state.isProjecting = false
        if report.isWritten {
            state.checkpoint = max(state.checkpoint, report.checkpoint)
            for (id, written) in report.users where state.unprojected[id] == written.offset {
                state.unprojected[id] = nil
            }
        } else {
            for (id, written) in report.users { users[id]?.dirty.formUnion(written.keys) }
            let pause = configuration.projectionMilliseconds * 5
            state.nextProjection = context.clock.monotonic().adding(milliseconds: pause)
        }
        partitions[partition] = state
    }
}
