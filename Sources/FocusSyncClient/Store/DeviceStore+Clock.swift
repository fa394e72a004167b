import FocusCore
import GRDB

extension DeviceStore {
    /// Takes the server's clock from a Welcome into account (rule E3): later events are stamped neither before it nor
    /// so far ahead of it that they are refused (rule E4). A queued event that was stamped so far ahead and is not
    /// logged yet gets another time.
    /// - Parameter logged: the last sequence of this incarnation that the log has. Events up to it keep their times.
    /// - Returns: whether a queued event got another time.
    @discardableResult
    public func observe(_ reading: ClockReading, logged: DeviceSequence) throws -> Bool {
        try write { record, database in
            // A recalled event may be in the log already, with the time that it has.
            guard !record.isRecalling else { return false }
            let first = max(record.acknowledgedSequence, logged.rawValue)
            var (previous, greatest) = (Timestamp?.none, Timestamp?.none)
            // The payloads are not read: together they may have many megabytes.
            let queued = QueueRecord.select(QueueRecord.Columns.place, QueueRecord.Columns.occurredAt)
                .filter(
                    QueueRecord.Columns.incarnation == record.incarnation && QueueRecord.Columns.sequence > first
                        && !QueueRecord.Columns.isChosen
                )
                .order(QueueRecord.Columns.place)
            for event in try QueuedTime.fetchAll(database, queued) {
                var time = Timestamp(microseconds: event.occurredAt)
                if let other = reading.restamped(time, after: previous) {
                    greatest = max(greatest ?? time, time)
                    time = other
                    try QueueRecord.filter(key: event.place)
                        .updateAll(database, QueueRecord.Columns.occurredAt.set(to: time.microseconds))
                }
                previous = time
            }
            record.eventClock.observe(reading, restamped: greatest, to: previous)
            return greatest != nil
        }
    }
}

/// When a queued event says that it happened.
private struct QueuedTime: Decodable, FetchableRecord {
    let place: Int64
    let occurredAt: Int64
}
