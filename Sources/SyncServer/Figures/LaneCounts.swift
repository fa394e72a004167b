import FocusCore

/// What a lane has counted since the server started. Every value only grows.
public struct LaneCounts: Hashable, Sendable {
    /// From a frame's arrival to the moment at which the statement began that carries it.
    public var queueing = DurationHistogram()
    /// How long statements took that append.
    public var committing = DurationHistogram()
    /// From a frame's arrival to the moment at which its answer left the lane.
    public var acknowledging = DurationHistogram()
    /// From a commit, or from the moment at which the lane heard of another server's, to the moment at which the rows
    /// left the lane.
    public var delivering = DurationHistogram()
    /// Append frames that were answered.
    public var frames = 0
    /// Events that were appended, those of the server's own among them.
    public var events = 0
    /// Bytes of their payloads.
    public var payloadBytes = 0
    /// Events that were logged as refused, by their code.
    public var refusals: [String: Int] = [:]
    /// Append frames that were not taken, or not whole, by the code of the answer.
    public var errors: [ErrorCode: Int] = [:]
    /// Sessions that were let in, by what they began with.
    public var starts: [SessionStart: Int] = [:]
    /// Users who were quarantined.
    public var quarantines = 0
    /// Users who left memory, because others needed the room.
    public var evictions = 0
    /// Events that the read model has got, by how far its checkpoints moved.
    public var projectedEvents: Int64 = 0
    /// Batches that were written to the read model, and those that were not.
    public var projections = 0
    public var failedProjections = 0

    public init() {}
}

/// What a session began with.
public enum SessionStart: String, CaseIterable, Sendable {
    /// The device had nothing, and got all rows.
    case first
    /// The device had rows, and got what changed since.
    case cursor
    /// The device had rows, and got all of them anew, because its cursor could not be continued from.
    case snapshot
}
