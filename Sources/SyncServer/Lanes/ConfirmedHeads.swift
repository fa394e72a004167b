import EventStore
import FocusCore

/// Up to where each partition is known to be as safe as PostgreSQL was told to make it: on the synchronous standby too.
///
/// A transaction that waits for its standby is seen by nobody until the wait ends; a crash, or a cancelled wait, ends
/// it without the standby, and then everybody sees the events. So what was read proves nothing. A commit of our own
/// that waited does: its record stands in PostgreSQL's journal behind everything that was seen before it was sent. An
/// answer that rests on events past what is confirmed waits for such a commit (rule P1).
struct ConfirmedHeads {
    private var offsets: [Partition: LogOffset] = [:]
    /// What is known was learned over this connection (see `LaneStore.connectionNumber`).
    private var connection: Int?

    /// Events of the partition below the offset are safe, as far as this connection was told.
    func covers(_ offset: LogOffset, of partition: Partition, on connection: Int) -> Bool {
        offset == .zero || connection == self.connection && offset <= offsets[partition, default: .zero]
    }

    /// A commit that waits succeeded, and was sent when the log was known up to these heads.
    mutating func confirm(_ heads: some Sequence<PartitionHead>, on connection: Int) {
        forget(unless: connection)
        for head in heads {
            // In place: every append asks for all of its lane's partitions.
            offsets[head.partition, default: .zero].raise(to: head.nextOffset)
        }
    }

    /// Its own events end there.
    mutating func confirm(_ batch: PartitionAppend, on connection: Int) {
        forget(unless: connection)
        offsets[batch.partition] = batch.expectedOffset.advanced(by: batch.events.count)
    }

    /// Another PostgreSQL server may have taken over, behind a connection that stays: it begins with no standby's word.
    mutating func forget() { (offsets, connection) = ([:], nil) }

    private mutating func forget(unless connection: Int) {
        if connection != self.connection { (offsets, self.connection) = ([:], connection) }
    }
}

extension LogOffset {
    fileprivate mutating func raise(to offset: LogOffset) { self = max(self, offset) }
}
