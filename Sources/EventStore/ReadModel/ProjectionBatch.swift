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
