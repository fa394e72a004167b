import FocusCore
import PostgresClient

/// Places in the log by time. `recorded_at` never goes backwards within a partition, so halving finds them.
extension LogReader {
    /// The first offset of `range` whose event was recorded at `time` or later; the end of `range` when there is none.
    ///
    /// Throws `PostgresError`; `EventStoreError.corrupt` when the log has no event at an offset of the range.
    public func firstOffset(
        recordedFrom time: Timestamp, partition: Partition, in range: Range<LogOffset>,
        on connection: PostgresConnection
    ) throws -> LogOffset {
        var (low, high) = (range.lowerBound.rawValue, range.upperBound.rawValue)
        while low < high {
            let middle = low + (high - low) / 2
            let result = try connection.query(Queries.readRecordedAt, [.int4(partition.rawValue), .int8(middle)])
            guard result.rowCount == 1 else {
                throw EventStoreError.corrupt("the log has no event at \(partition):\(middle)")
            }
            if Timestamp(microseconds: try result.timestamptz(row: 0, column: 0)) < time {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return LogOffset(low)
    }

    /// The user's last version recorded at `time` or before; zero when the stream begins later.
    public func lastVersion(
        of user: UserID, partition: Partition, recordedUpTo time: Timestamp, head: Version,
        on connection: PostgresConnection
    ) throws -> Version {
        var (low, high) = (Int64(0), head.rawValue)
        while low < high {
            let middle = low + (high - low + 1) / 2
            let event = try events(
                of: user, partition: partition, after: Version(middle - 1), limit: 1, on: connection
            ).first
            guard let event, event.version == Version(middle) else {
                throw EventStoreError.gap(
                    user: user, expected: Version(middle), found: event?.version ?? Version(middle))
            }
            if event.recordedAt <= time { low = middle } else { high = middle - 1 }
        }
        return Version(low)
    }
}
