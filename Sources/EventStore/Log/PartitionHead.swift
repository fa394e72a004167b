import FocusCore

/// Where a partition of the log ends.
public struct PartitionHead: Hashable, Sendable {
    public var partition: Partition
    /// The offset that the next event gets; everything below is committed.
    public var nextOffset: LogOffset
    /// `recorded_at` of the newest event: the next one's is no earlier.
    public var lastRecordedAt: Timestamp
    /// The active generation of the read model.
    public var generation: Int32

    public init(partition: Partition, nextOffset: LogOffset, lastRecordedAt: Timestamp, generation: Int32) {
        self.partition = partition
        self.nextOffset = nextOffset
        self.lastRecordedAt = lastRecordedAt
        self.generation = generation
    }
}

/// Where partitions end, and when that was.
public struct LogLook: Hashable, Sendable {
    public var heads: [PartitionHead]
    /// By the database's clock; nil: there was no such partition.
    public var time: Timestamp?

    public init(heads: [PartitionHead], time: Timestamp?) {
        self.heads = heads
        self.time = time
    }
}
