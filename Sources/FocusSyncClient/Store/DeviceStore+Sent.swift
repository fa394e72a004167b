import FocusCore
import Foundation
import GRDB

/// Events after their acknowledgement. The store keeps them until both 7 days and 10,000 events are exceeded (rule S6),
/// so that it can give them back to a log that lost its tail.
extension DeviceStore {
    /// How many acknowledged events are kept however old they are (rule S6), unless `keptBytes` is exceeded.
    public static let keptEvents = 10_000
    /// How many bytes all acknowledged events may have together, each counted as its payload and `keptRowBytes`. Past
    /// it the oldest are evicted, however young they are.
    public static let keptBytes: Int64 = 256 * 1024 * 1024
    /// How many bytes an event counts beside its payload: for its ids, names and receipt, its row and its entry in an
    /// index, rounded up. Without it there would be no bound for events that have no payload. Stores hold sums that
    /// include it, so whoever changes it adds a migration that counts again, as migration 4 does.
    public static let keptRowBytes: Int64 = 512
    /// Acknowledged events of the last 7 days are kept however many they are (rule S6), unless `keptBytes` is exceeded.
    public static let keptMicroseconds: Int64 = 7 * 24 * 3_600 * 1_000_000

    /// The acknowledged events that the store still holds, oldest first.
    /// - Parameters:
    ///   - incarnation: nil: the events of all incarnations.
    ///   - sequence: only events with a greater sequence.
    public func sent(of incarnation: Incarnation? = nil, after sequence: DeviceSequence = .zero) throws -> [SentEvent] {
        try database.read { database in
            let records = try SentRecord.order(SentRecord.Columns.place).fetchCursor(database)
            var events: [SentEvent] = []
            while let record = try records.next() {
                if let incarnation, record.incarnation != incarnation.rawValue { continue }
                guard record.sequence > sequence.rawValue else { continue }
                events.append(
                    SentEvent(
                        incarnation: Incarnation(record.incarnation), sequence: DeviceSequence(record.sequence),
                        envelope: try record.envelope(), verdict: record.verdict))
            }
            return events
        }
    }

    /// The refused ones among the acknowledged events that the store still holds, oldest first (rule E2).
    public func refusals() throws -> [AppendOutcome] {
        try database.read { database in
            try SentRecord.filter(SentRecord.Columns.refusal != nil).order(SentRecord.Columns.place)
                .fetchAll(database).map { record in
                    AppendOutcome(
                        sequence: DeviceSequence(record.sequence), event: try record.envelope().id, type: record.type,
                        verdict: record.verdict, version: Version(record.version))
                }
        }
    }

    /// This device's events of these types that the confirmed rows do not include yet, in their order: acknowledged
    /// ones that no delta has brought, then those in the queue.
    func unconfirmed(of types: [String]) throws -> [Envelope] {
        try database.read { database in
            guard let record = try StoreRecord.fetchOne(database, key: 1) else { return [] }
            // Only the newest events can be ahead of the cursor; the index of `version` finds them.
            let sent =
                try SentRecord
                .filter(SentRecord.Columns.version > record.cursorVersion && SentRecord.Columns.refusal == nil)
                .filter(types.contains(SentRecord.Columns.type))
                .order(SentRecord.Columns.place).fetchAll(database).map { try $0.envelope() }
            let queued =
                try QueueRecord.filter(types.contains(QueueRecord.Columns.type)).order(QueueRecord.Columns.place)
                .fetchAll(database).map { try $0.queued().envelope }
            return sent + queued
        }
    }

    /// Sets all versions to 0: they are of a history that the log has lost, and mean nothing in the present one.
    static func forgetVersions(_ database: Database) throws {
        _ = try SentRecord.filter(SentRecord.Columns.version > 0)
            .updateAll(database, SentRecord.Columns.version.set(to: 0))
    }

    /// Evicts the oldest acknowledged events past the bounds. One call can evict more events than `count`, the number
    /// that was just added, so the table does not grow past the bounds.
    static func trimSent(
        after count: Int, _ record: inout StoreRecord, at time: Timestamp, _ database: Database
    ) throws {
        let old = time.adding(microseconds: -keptMicroseconds).microseconds
        while true {
            // Most of the time nothing is over a bound, and nothing is read.
            let surplus = record.lastSentPlace - Int64(keptEvents)
            let place = record.sentBytes > keptBytes ? record.lastSentPlace : surplus
            let oldest = try SentRecord.filter(SentRecord.Columns.place <= place).order(SentRecord.Columns.place)
                .limit(2 * count + 64).fetchAll(database)
            // The device's clock was ahead when the event was acknowledged. Until that time comes, no event would be
            // evicted for its age.
            if let first = oldest.first, first.acknowledgedAt > time.microseconds {
                try ageFromNow(time, database)
            }
            var left = record.sentBytes
            let leaving = oldest.prefix { sent in
                let isOld = sent.place <= surplus && sent.acknowledgedAt < old
                guard isOld || left > keptBytes else { return false }
                left -= sent.keptBytes
                return true
            }
            guard let last = leaving.last else { return }
            // Events of one receipt are evicted together: without one of them it proves nothing about the others.
            let done = try SentRecord.filter(SentRecord.Columns.place <= last.endOfReceipt(database))
            record.sentBytes -= try SentRecord.keptBytes(of: done, database)
            _ = try done.deleteAll(database)
            // The bound of bytes holds whatever the events' age: evict until it is met.
            guard record.sentBytes > keptBytes else { return }
        }
    }

    /// Sets times of acknowledgement that are in the future to now, which is the latest that they can be.
    private static func ageFromNow(_ time: Timestamp, _ database: Database) throws {
        _ = try SentRecord.filter(SentRecord.Columns.acknowledgedAt > time.microseconds)
            .updateAll(database, SentRecord.Columns.acknowledgedAt.set(to: time.microseconds))
    }
}

extension SentRecord {
    /// The bytes that the event counts for the bound. It includes nothing that changes while the event is held.
    var keptBytes: Int64 { Int64(payload.count) + DeviceStore.keptRowBytes }

    /// The bytes that these events count for the bound together.
    static func keptBytes(of records: QueryInterfaceRequest<SentRecord>, _ database: Database) throws -> Int64 {
        let payloads = try records.select(sum(length(Columns.payload)), as: Int64.self).fetchOne(database)
        return try (payloads ?? 0) + Int64(records.fetchCount(database)) * DeviceStore.keptRowBytes
    }

    /// The place of the last event that this event's receipt covers. The events of one incarnation are answered in its
    /// order, so no event of the receipt comes later.
    func endOfReceipt(_ database: Database) throws -> Int64 {
        guard let receiptThrough, receiptThrough > sequence else { return place }
        let others = SentRecord.filter(
            Columns.incarnation == incarnation && Columns.sequence > sequence && Columns.sequence <= receiptThrough)
        return max(place, try others.select(max(Columns.place), as: Int64.self).fetchOne(database) ?? place)
    }

    var verdict: AppendOutcome.Verdict {
        refusal.map { .refused(code: $0, message: message ?? "") } ?? .accepted
    }
}
