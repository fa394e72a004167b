import FocusCore
import Foundation
import GRDB

/// Events after their acknowledgement. They are kept until both bounds are exceeded (rule S6), so that a server that
/// lost its tail can be given it again.
extension DeviceStore {
    public static let keptEvents = 10_000
    /// Bytes of all of them, each as its payload and `keptRowBytes`: past it the oldest leave, however young.
    public static let keptBytes: Int64 = 256 * 1024 * 1024
    /// What an event counts beside its payload: its ids, names and receipt, its row and its place in an index, rather
    /// more than less. Without it events that have no payload would have no bound. Stores have counted with it: who
    /// changes it has them count anew, as migration 4 does.
    public static let keptRowBytes: Int64 = 512
    public static let keptMicroseconds: Int64 = 7 * 24 * 3_600 * 1_000_000

    /// Events that were acknowledged and are still held, oldest first.
    /// - Parameter incarnation: nil: of all of them.
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

    /// Refusals among them, oldest first.
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
            guard let record = try DeviceRecord.fetchOne(database, key: 1) else { return [] }
            // The newest ones only can be ahead of the cursor, but the index of `version` knows.
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

    /// Versions of the past mean nothing to what the log now holds.
    static func forgetVersions(_ database: Database) throws {
        _ = try SentRecord.filter(SentRecord.Columns.version > 0)
            .updateAll(database, SentRecord.Columns.version.set(to: 0))
    }

    /// Takes a step towards the bounds: as many as came at least, so that the table does not grow past them.
    static func trimSent(
        after count: Int, _ record: inout DeviceRecord, at time: Timestamp, _ database: Database
    ) throws {
        let old = time.adding(microseconds: -keptMicroseconds).microseconds
        while true {
            // Most of the time nothing is over a bound, and nothing is read.
            let surplus = record.lastSentPlace - Int64(keptEvents)
            let place = record.sentBytes > keptBytes ? record.lastSentPlace : surplus
            let oldest = try SentRecord.filter(SentRecord.Columns.place <= place).order(SentRecord.Columns.place)
                .limit(2 * count + 64).fetchAll(database)
            // A clock that was ahead acknowledged it, and nothing would leave for its age until then.
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
            // Events of one receipt leave together: without one of them it proves nothing of the others.
            let done = try SentRecord.filter(SentRecord.Columns.place <= last.endOfReceipt(database))
            record.sentBytes -= try SentRecord.keptBytes(of: done, database)
            _ = try done.deleteAll(database)
            // Bytes are a bound that holds at once.
            guard record.sentBytes > keptBytes else { return }
        }
    }

    /// Events that were acknowledged in the future were so now, as far as anybody knows.
    private static func ageFromNow(_ time: Timestamp, _ database: Database) throws {
        _ = try SentRecord.filter(SentRecord.Columns.acknowledgedAt > time.microseconds)
            .updateAll(database, SentRecord.Columns.acknowledgedAt.set(to: time.microseconds))
    }
}

extension SentRecord {
    /// What it counts for the bound: nothing that changes while it is held.
    var keptBytes: Int64 { Int64(payload.count) + DeviceStore.keptRowBytes }

    /// What these count together.
    static func keptBytes(of records: QueryInterfaceRequest<SentRecord>, _ database: Database) throws -> Int64 {
        let payloads = try records.select(sum(length(Columns.payload)), as: Int64.self).fetchOne(database)
        return try (payloads ?? 0) + Int64(records.fetchCount(database)) * DeviceStore.keptRowBytes
    }

    /// The place of the last event that its receipt covers: those of one incarnation are answered in its order.
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
