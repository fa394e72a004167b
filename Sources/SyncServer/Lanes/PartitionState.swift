import EventStore
import FocusCore

/// One of the lane's partitions, as far as this server knows it.
struct PartitionState {
    var head: PartitionHead
    /// Everything below is in the read model. Never past the head: another server may be further with both, and what it
    /// has projected of events that this one does not know is of no concern yet.
    var checkpoint: LogOffset
    /// Users with events at or past the checkpoint, and the offset of the last of them.
    var unprojected: [UserID: LogOffset] = [:]
    var isProjecting = false
    /// Changed rows are gathered until then, or until the lane's appends pause.
    var gathersUntil: MonotonicTime
    /// Nothing is written before: another server is at it, the database refused, or nobody could be loaded.
    var retriesAt = MonotonicTime(milliseconds: 0)

    /// The batch is committed.
    mutating func move(behind batch: PartitionAppend) {
        guard let last = batch.events.last else { return }
        head.move(behind: last)
        for event in batch.events { unprojected[event.user] = event.offset }
    }
}
