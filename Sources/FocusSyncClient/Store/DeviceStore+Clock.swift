import FocusCore
import GRDB

extension DeviceStore {
    /// Takes note of the server's clock at a Welcome (rule E3): events are not stamped before it, nor so far ahead of
    /// it that they are refused (rule E4). Those that were stamped so and are not logged yet get another time.
    /// - Parameter logged: the last sequence of this incarnation that the log has. What it has keeps its time.
    /// - Returns: whether a queued event got another time.
    @discardableResult
    public func see(_ reading: ClockReading, logged: DeviceSequence) throws -> Bool {
        try write { record, database in
            // What is being recalled may be in the log as it is.
            guard !record.isRecalling else { return false }
            let first = max(record.acknowledgedSequence, logged.rawValue)
            var (previous, greatest) = (Timestamp?.none, Timestamp?.none)
            // Without the payloads, which may be many.
            let queued = QueueRecord.select(QueueRecord.Columns.place, QueueRecord.Columns.occurredAt)
                .filter(
                    QueueRecord.Columns.incarnation == record.incarnation && QueueRecord.Columns.sequence > first
                        && !QueueRecord.Columns.isChosen
                )
                .order(QueueRecord.Columns.place)
            for row in try GRDB.Row.fetchAll(database, queued) {
                var time = Timestamp(microseconds: row[QueueRecord.Columns.occurredAt])
                if let other = reading.restamped(time, after: previous) {
                    greatest = max(greatest ?? time, time)
                    time = other
                    try QueueRecord.filter(key: row[QueueRecord.Columns.place] as Int64)
                        .updateAll(database, QueueRecord.Columns.occurredAt.set(to: time.microseconds))
                }
                previous = time
            }
            record.eventClock.see(reading, restamped: greatest, to: previous)
            return greatest != nil
        }
    }
}
