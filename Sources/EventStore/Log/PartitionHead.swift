import FocusCore
import Foundation

/// Where a partition of the log ends.
public struct PartitionHead: Hashable, Sendable {
    public var partition: Partition
    /// The offset that the next event gets; everything below is committed.
    public var nextOffset: LogOffset
    /// The newest event; `noEvent` while there is none.
    public var lastEvent: EventID
    /// `recorded_at` of the newest event: the next one's is no earlier.
    public var lastRecordedAt: Timestamp
    /// The active generation of the read model.
    public var generation: Int32

    /// Stands for the event before the first of a partition: the nil UUID.
    public static let noEvent = EventID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))

    public init(
        partition: Partition, nextOffset: LogOffset, lastEvent: EventID, lastRecordedAt: Timestamp, generation: Int32
    ) {
        self.partition = partition
        self.nextOffset = nextOffset
        self.lastEvent = lastEvent
        self.lastRecordedAt = lastRecordedAt
        self.generation = generation
    }

    /// The newest event; nil while there is none.
    public var anchor: LogAnchor? {
        // Not by `lastEvent`: a device may give an event the nil UUID.
        guard nextOffset > .zero else { return nil }
        return LogAnchor(offset: nextOffset.advanced(by: -1), event: lastEvent, recordedAt: lastRecordedAt)
    }

    /// Moves the head past an event that stands at `nextOffset`.
    public mutating func move(behind event: LoggedEvent) {
        nextOffset = event.offset.next
        lastEvent = event.id
        lastRecordedAt = event.recordedAt
    }
}

/// Where partitions end, and when that was.
public struct TimedHeads: Hashable, Sendable {
    public var heads: [PartitionHead]
    /// When the heads were read, by the database's clock; nil when none of the partitions exists.
    public var time: Timestamp?
    /// Whether the database takes no writes.
    public var isReadOnly: Bool

    public init(heads: [PartitionHead], time: Timestamp?, isReadOnly: Bool = false) {
        self.heads = heads
        self.time = time
        self.isReadOnly = isReadOnly
    }
}
