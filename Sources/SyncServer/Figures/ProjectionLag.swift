import FocusCore

/// How far the read model is behind the partitions of a lane.
public struct ProjectionLag: Hashable, Sendable {
    /// Events past the checkpoints.
    public var events: Int64 = 0
    /// When the lane first saw the log reach past the oldest of these events; nil: there is none.
    public var lacksSince: MonotonicTime?
    /// Since when a partition with such events has got none of them into the read model, by the one that waits longest;
    /// nil: there is none.
    public var standsSince: MonotonicTime?

    public init() {}
}
