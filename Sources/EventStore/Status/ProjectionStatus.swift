import FocusCore

/// Where the read model stands, as of about one moment.
public struct ProjectionStatus: Hashable, Sendable {
    /// In ascending order of partition.
    public var partitions: [PartitionProjection]
    /// The tables of each generation that is active in some partition or on its way, in order of generation and name.
    public var tables: [TableSize]
    /// The generation that a rebuild or a rollback brings in; nil when there is none.
    public var rebuild: UnfinishedRebuild?
}

/// Where the projection of one partition stands.
public struct PartitionProjection: Hashable, Sendable {
    public var partition: Partition
    /// The active generation.
    public var generation: Int32
    /// The version of the fold that fills the generation; nil when it is not recorded. If it is not
    /// `FocusCore.foldVersion`, this program reads the generation and does not write it.
    public var foldVersion: Int32?
    /// The read model shows every event below this offset, but for those of laggards.
    public var checkpoint: LogOffset
    /// The offset that the next event gets.
    public var head: LogOffset
    /// How long the first event past the checkpoint has been in the log, in microseconds; nil when there is none.
    public var lagMicroseconds: Int64?
    /// How many users the checkpoint has passed although their rows lack events, because they do not fold.
    public var laggards: Int64 = 0

    /// How many events there are past the checkpoint.
    public var lagEvents: Int64 { head.rawValue - checkpoint.rawValue }
}

/// The size of a table of the read model.
public struct TableSize: Hashable, Sendable {
    public var generation: Int32
    /// A collection, or `users` or `checkpoints`.
    public var table: String
    /// Rows, tombstones included: counted, or an estimate from PostgreSQL's statistics.
    public var rows: Int64
    /// Its size on disk, indexes included.
    public var bytes: Int64
}
