import EventStore
import FocusCore
import PostgresClient

extension PartitionAppend {
    /// For tests that know only offsets; `LogWriter.appendToEnd` looks up the event before the batch.
    public init(partition: Partition, expectedOffset: LogOffset, events: [LoggedEvent]) {
        let head = PartitionHead(
            partition: partition, nextOffset: expectedOffset, lastEvent: PartitionHead.noEvent,
            lastRecordedAt: Timestamp(microseconds: 0), generation: 1)
        self.init(behind: head, events: events)
    }
}

extension LogWriter {
    /// Appends batches at their offsets, whatever event stands before them.
    public func appendToEnd(
        _ batches: [PartitionAppend], on connection: PostgresConnection
    ) throws(PostgresError) -> [Partition: PartitionOutcome] {
        var known: [PartitionAppend] = []
        for batch in batches {
            var copy = batch
            if let head = try LogReader().heads(of: [batch.partition], on: connection).first {
                (copy.expectedEvent, copy.expectedRecordedAt) = (head.lastEvent, head.lastRecordedAt)
            }
            known.append(copy)
        }
        return try append(known, on: connection)
    }
}
