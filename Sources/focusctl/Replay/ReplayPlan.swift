import EventStore
import FocusCore
import PostgresClient
import Programs

/// Which stretches of the log a replay reads. All of them end where the log ended at one moment.
struct ReplayPlan {
    var since: Timestamp?
    var until: Timestamp?
    /// When set, only this user's partition is read.
    var user: UserID?

    /// The ranges to read. Throws `CommandFailure` for a place that the log does not have; `PostgresError`.
    /// - Parameters:
    ///   - vector: where to begin; nil: at the beginning of every partition.
    ///   - isResumed: whether `vector` was written by a replay, which took `since` into account already.
    func ranges(
        from vector: PositionVector?, _ log: LogIdentity, isResumed: Bool, on connection: PostgresConnection
    ) throws -> [PartitionRange] {
        for (partition, _) in vector?.positions ?? [:] where !log.allPartitions.contains(partition) {
            throw CommandFailure("The log has partitions 0 to \(log.partitions - 1), no \(partition).")
        }
        let home = user.map { log.partition(of: $0) }
        let wanted = log.allPartitions.filter {
            (home == nil || $0 == home) && (vector == nil || vector?.positions[$0] != nil)
        }
        // One statement reads all ends in one snapshot, so they are consistent.
        return try LogReader().heads(of: wanted, on: connection).map { head in
            let begin = vector?.positions[head.partition] ?? .zero
            guard begin <= head.nextOffset else {
                throw CommandFailure("Partition \(head.partition) ends at \(head.nextOffset), before \(begin).")
            }
            return try cut(
                PartitionRange(partition: head.partition, offsets: begin..<head.nextOffset), isResumed, on: connection)
        }
    }

    private func cut(
        _ range: PartitionRange, _ isResumed: Bool, on connection: PostgresConnection
    ) throws -> PartitionRange {
        var range = range
        let place = { (time: Timestamp) in
            try LogReader().firstOffset(
                recordedFrom: time, partition: range.partition, in: range.offsets, on: connection)
        }
        let first = try isResumed ? nil : since.map(place)
        let end = try until.map(place)
        let begin = first ?? range.offsets.lowerBound
        range.offsets = begin..<max(begin, end ?? range.offsets.upperBound)
        return range
    }

    /// The ranges of events that were logged past `vector`.
    func news(past vector: PositionVector, on connection: PostgresConnection) throws -> [PartitionRange] {
        try LogReader().heads(of: vector.positions.keys.sorted(), on: connection).compactMap { head in
            guard let begin = vector.positions[head.partition], begin < head.nextOffset else { return nil }
            return PartitionRange(partition: head.partition, offsets: begin..<head.nextOffset)
        }
    }
}
