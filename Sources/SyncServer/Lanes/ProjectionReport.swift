import FocusCore

/// What a batch was made of, and what became of it, for the lane that made it.
struct ProjectionReport: Sendable {
    /// What of a user is in the batch.
    struct Part: Sendable {
        var version: Version
        /// Where their last event in it stands.
        var offset = LogOffset.zero
        /// The rows that it has of them; perhaps some of them twice.
        var keys: [RowKey]
        /// Whether it has their digest sums.
        var hasDigests = false
    }

    /// The generation that the batch was made for.
    var generation: Int32
    /// The epoch in which the batch was made (`ProjectionBacklog.epoch`).
    var epoch: Int
    var users: [UserID: Part] = [:]
    /// Set by the projector.
    var result = ProjectionResult.failed
}

/// What became of a batch; see `ProjectionOutcome`.
enum ProjectionResult: Sendable {
    /// The batch is written without the users in `missing`, of whom the read model has less than the batch began from.
    /// `checkpoint` is the partition's checkpoint after the commit.
    case written(missing: Set<UserID>, checkpoint: LogOffset)
    /// Nothing was written: the checkpoint is further back than the lane believed.
    case checkpointRegressed
    /// Nothing was written, and the lane tries again later: another projector works on the partition, another
    /// generation is shown, the log lost events, another PostgreSQL server took over, or the database cannot write.
    case failed
    /// Nothing was written: the database refuses what the rows hold, and would do so again.
    case refused
}
