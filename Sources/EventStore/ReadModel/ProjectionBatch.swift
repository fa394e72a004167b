import FocusCore

/// What a projector writes in one transaction: changed rows of users of one partition, and the checkpoint that they
/// reach.
public struct ProjectionBatch: Sendable {
    public var partition: Partition
    /// The generation that the batch was made for.
    public var generation: Int32
    /// The checkpoint as far as the caller knows. If it is lower by now, the server lost commits that were not flushed,
    /// and users whom the caller believes to be written may not be: nothing is written then.
    public var base: LogOffset
    /// Once this batch is written, everything below this offset is in the read model.
    public var checkpoint: LogOffset
    /// An event as late as any that was folded into the rows: without it in the log, nothing is written.
    public var anchor: LogAnchor?
    /// The timeline on which everything below `base`, and every user's rows up to their `base`, were written. On
    /// another timeline nothing is written: some of that may be missing there although the checkpoint does not show it.
    /// Nil: any timeline.
    public var timeline: Timeline?
    /// Each user once.
    public var users: [ProjectedUser]

    public init(
        partition: Partition, generation: Int32, base: LogOffset = .zero, checkpoint: LogOffset,
        anchor: LogAnchor? = nil, timeline: Timeline? = nil, users: [ProjectedUser]
    ) {
        self.partition = partition
        self.generation = generation
        self.base = base
        self.checkpoint = checkpoint
        self.anchor = anchor
        self.timeline = timeline
        self.users = users
    }
}

/// A user's rows that changed since `base`, as they are at `version`.
public struct ProjectedUser: Sendable {
    public var user: UserID
    public var version: Version
    /// Up to this version the read model had everything when `rows` began to be gathered
    /// (`LoadedUser.projectedVersion`, or the version of the batch before). If it has less by now, because the server
    /// lost a commit that was not flushed, the rows would leave a hole: the user is then reported as `missing` instead
    /// of written.
    public var base: Version
    /// Each key once.
    public var rows: [ProjectedRow]
    /// `UserState.dueAt` at `version`. It is written in the same transaction as the rows: a scheduler that finds the
    /// rows there finds the user when their time comes (rules T1, T3).
    public var dueAt: Timestamp?

    public init(
        user: UserID, version: Version, base: Version = .zero, rows: [ProjectedRow], dueAt: Timestamp?
    ) {
        self.user = user
        self.version = version
        self.base = base
        self.rows = rows
        self.dueAt = dueAt
    }
}

/// A row to be written.
public struct ProjectedRow: Sendable {
    public var key: RowKey
    /// Nil: the row is deleted for good.
    public var row: Row?
    /// `UserState.appearance(of:)`: a row that appeared after the version that the read model shows is most likely not
    /// there, and inserting it is cheaper than looking it up. Nil is always right.
    public var appearedAt: Version?

    public init(_ key: RowKey, _ row: Row?, appearedAt: Version? = nil) {
        self.key = key
        self.row = row
        self.appearedAt = appearedAt
    }
}

/// What became of a batch.
public enum ProjectionOutcome: Hashable, Sendable {
    /// The batch is written. A user whom the read model already showed at a later version was left as they are; for a
    /// user at this very version only `due_at` was updated, if it differed. The users in `missing` were left out,
    /// because the read model is behind their `base`: load them again, their `touchedKeys` are what it lacks. If there
    /// are any, the checkpoint stays. `checkpoint` is the partition's checkpoint after this commit, moved by it or not.
    /// If it is ever found below that, rows that were found written may be lost, even if another projector wrote them.
    case written(missing: Set<UserID>, checkpoint: LogOffset)
    /// The checkpoint is at this offset, below the batch's `base`: everything from there on is to be projected again.
    case fellBack(to: LogOffset)
    /// Another projector works on this partition. Try again later, or find the work done.
    case busy
    /// Another generation is active, or another version of the fold fills this one: nothing was written.
    case otherGeneration
    /// The log does not hold the batch's anchor, or another server took over: nothing was written.
    case otherLog

    /// The users who were left out; nil when nothing was written.
    public var missing: Set<UserID>? {
        if case .written(let missing, _) = self { missing } else { nil }
    }
}
