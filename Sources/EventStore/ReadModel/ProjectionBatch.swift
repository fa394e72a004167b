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
    /// Once this batch is written, everything below this offset is in the read model, but for events of laggards.
    public var checkpoint: LogOffset
    /// The offset behind the last event that is folded into the rows; nil: not known. Where the checkpoint does not
    /// reach it, a loss of this batch would not show in the checkpoint, so the commit waits for the disk.
    public var end: LogOffset?
    /// Users with events between `base` and `checkpoint` who cannot be folded.
    public var passed: PassedUsers
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
        end: LogOffset? = nil, passed: PassedUsers = .nobody, anchor: LogAnchor? = nil, timeline: Timeline? = nil,
        users: [ProjectedUser]
    ) {
        self.partition = partition
        self.generation = generation
        self.base = base
        self.checkpoint = checkpoint
        self.end = end
        self.passed = passed
        self.anchor = anchor
        self.timeline = timeline
        self.users = users
    }
}
