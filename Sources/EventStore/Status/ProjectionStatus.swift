import FocusCore

/// Where the read model stands, as of about one moment.
public struct ProjectionStatus: Hashable, Sendable {
    /// In order.
    public var partitions: [PartitionProjection]
    /// Of each generation that is active somewhere or is on its way, in order of generation and name.
    public var tables: [TableSize]
    /// The generation on its way, if any.
    public var rebuild: UnfinishedRebuild?
}

/// Where the projection of one partition stands.
public struct PartitionProjection: Hashable, Sendable {
    public var partition: Partition
    /// The active one.
    public var generation: Int32
    /// The version of the fold that fills it; nil when nobody knows. Another than `FocusCore.foldVersion` means that
    /// this program reads it and does not write it.
    public var foldVersion: Int32?
    /// Everything below is in the read model.
    public var checkpoint: LogOffset
    /// The offset that the next event gets.
    public var head: LogOffset
    /// For how long the first event that the read model lacks has been in the log, in microseconds; nil: it lacks none.
    public var lagMicroseconds: Int64?

    /// How many events the read model lacks.
    public var lagEvents: Int64 { head.rawValue - checkpoint.rawValue }
}

/// What a table of the read model takes.
public struct TableSize: Hashable, Sendable {
    public var generation: Int32
    /// A collection, or `users` or `checkpoints`.
    public var table: String
    /// Tombstones too. Counted, or about so many by the server's statistics.
    public var rows: Int64
    /// On disk, with its indexes.
    public var bytes: Int64
}
