import FocusCore

/// What became of a batch.
public enum ProjectionOutcome: Hashable, Sendable {
    /// The batch is written. A user whom the read model already showed at a later version was left as they are; for a
    /// user at this very version only `due_at` was updated, if it differed, and the digest sums, if they were missing.
    /// The users in `missing` were left out, because the read model is behind their `base`: load them again, their
    /// `touchedKeys` are what it lacks. If there are any, the checkpoint stays. `checkpoint` is the partition's
    /// checkpoint after this commit, moved by it or not. If it is ever found below that, rows below it that were found
    /// written may be lost, even if another projector wrote them.
    case written(missing: Set<UserID>, checkpoint: LogOffset)
    /// The checkpoint is at this offset, below the batch's `base`: everything from there on is to be projected again.
    case checkpointRegressed(to: LogOffset)
    /// Another projector works on this partition. Try again later, or find the work done.
    case busy
    /// Another generation is active, or another version of the fold fills this one: nothing was written.
    case otherGeneration
    /// The log does not hold the batch's anchor, or another server took over: nothing was written.
    case otherLog
    /// The database refuses what the rows hold, and says this; nothing of it may be told to devices. Nothing was
    /// written.
    case refused(String)

    /// The users who were left out; nil when nothing was written.
    public var missing: Set<UserID>? {
        if case .written(let missing, _) = self { missing } else { nil }
    }
}
