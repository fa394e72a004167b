import EventStore
import FocusCore

/// Up to which offset each partition is known to be as durable as PostgreSQL is configured to make it: on the
/// synchronous standby too, where there is one.
///
/// Nobody sees a transaction while it waits for the standby. But a crash, or a cancelled wait, ends the wait without
/// the standby, and then everybody sees its events. So an event that could be read proves nothing. A commit of this
/// server that waited does: its record stands in PostgreSQL's journal behind everything that this server had seen
/// before. An answer that rests on events past the confirmed offsets waits for such a commit (rule P1).
struct ConfirmedHeads {
    private var offsets: [Partition: LogOffset] = [:]
    /// The connection over which `offsets` were learned (`LaneStore.connectionNumber`).
    private var connection: Int?

    /// Whether the events of the partition below the offset are confirmed over this connection.
    func covers(_ offset: LogOffset, of partition: Partition, on connection: Int) -> Bool {
        offset == .zero || connection == self.connection && offset <= offsets[partition, default: .zero]
    }

    /// Records that a commit succeeded that waited for the standby. It was sent when the log was known up to these
    /// heads.
    mutating func confirm(_ heads: some Sequence<PartitionHead>, on connection: Int) {
        forget(unless: connection)
        for head in heads {
            // The dictionary is changed in place, because every append does this for all partitions of its lane.
            offsets[head.partition, default: .zero].raise(to: head.nextOffset)
        }
    }

    /// Records that the batch was committed, and waited for the standby.
    mutating func confirm(_ batch: PartitionAppend, on connection: Int) {
        forget(unless: connection)
        offsets[batch.partition] = batch.expectedOffset.advanced(by: batch.events.count)
    }

    /// Forgets everything. Behind a pooler another PostgreSQL server may take over while the connection stays, and
    /// nothing is confirmed on that one.
    mutating func forget() { (offsets, connection) = ([:], nil) }

    private mutating func forget(unless connection: Int) {
        if connection != self.connection { (offsets, self.connection) = ([:], connection) }
    }
}

extension LogOffset {
    fileprivate mutating func raise(to offset: LogOffset) { self = max(self, offset) }
}
