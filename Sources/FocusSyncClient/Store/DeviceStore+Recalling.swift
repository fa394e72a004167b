import FocusCore
import Foundation
import GRDB

/// What a store that was restored from a backup, or copied, asks the log about its unanswered events (rule P10).
///
/// Flow: `beginRecalling` → for each run of places `nextToRecall`, `keepRecalled` → `endRecalling`. Each is one
/// transaction; after a crash between any two of them the next connection asks again for what is left.
extension DeviceStore {
    /// Ended incarnations that are remembered.
    public static let endedLimit = 256
    /// Bytes of the payloads that one Recall asks for: the answer to more has no receipts.
    static let recallBytes = 256 * 1024

    /// Recalling was begun and not finished: it goes on with the next connection, and nothing is appended before.
    public var isRecalling: Bool { get throws { try record().isRecalling } }

    /// Keeps in mind that the places of the queue's events may be other events' in the log. Events that are queued
    /// meanwhile get the next sequences of the same incarnation, and are never sent there.
    public func beginRecalling() throws {
        try write { record, _ in record.isRecalling = true }
    }

    /// The next question, and where the one after it begins. Nil: there is nothing more.
    ///
    /// In the order in which the events were made; those of one Recall have dense places in one incarnation. What is
    /// queued after the first question is asked for by none: it was never sent.
    func nextToRecall(
        _ position: RecallPosition, maximumEvents: Int = SessionLimits().eventsPerAppend
    ) throws -> (Recall?, RecallPosition) {
        try database.read { database in
            guard let device = try DeviceRecord.fetchOne(database, key: 1) else { return (nil, position) }
            var next = position
            let through = position.through ?? device.lastPlace
            next.through = through
            let records =
                try QueueRecord
                .filter(QueueRecord.Columns.place > position.place && QueueRecord.Columns.place <= through)
                .order(QueueRecord.Columns.place).limit(maximumEvents).fetchCursor(database)
            guard let first = try records.next() else { return (nil, next) }
            var batch = try RecallBatch(first)
            while let record = try records.next(), try batch.add(record) {}
            next.place = batch.lastPlace
            return (batch.recall, next)
        }
    }

    /// Keeps what an answer says: the events that the log holds count as acknowledged where they stand.
    /// - Returns: what became of those.
    func keepRecalled(_ recalled: Recalled, _ recall: Recall, clock: Timestamp = .now) throws -> [AppendOutcome] {
        try write { record, database in
            var outcomes: [AppendOutcome] = []
            for (index, (event, outcome)) in zip(recall.events, recalled.outcomes).enumerated() {
                guard let outcome else { continue }
                let sequence = recall.firstSequence.advanced(by: index)
                let place = QueueRecord.filter(
                    QueueRecord.Columns.incarnation == recall.incarnation.rawValue
                        && QueueRecord.Columns.sequence == sequence.rawValue)
                guard let queued = try place.fetchOne(database), try queued.eventID() == event else { continue }
                let answer = AppendOutcome(
                    sequence: sequence, event: event, type: queued.type, verdict: AppendOutcome.Verdict(outcome),
                    version: recalled.version)
                try Self.keep(queued, answer, recalled.receipts, at: clock, &record, database)
                try place.deleteAll(database)
                outcomes.append(answer)
            }
            record.unseenVersion = max(record.unseenVersion, recalled.version.rawValue)
            // After what is held of it: see `EndedIncarnation.place`.
            try Self.remember(ended: recall.incarnation, at: clock, record, database)
            try Self.trimSent(after: outcomes.count, &record, at: clock, database)
            return outcomes
        }
    }

    /// The log has answered everything: what it does not hold gets places in another incarnation, in its order.
    ///
    /// That one is derived from the first of these events, so that copies of this store give them the same places. When
    /// there is none, nothing can be there twice, and it is drawn.
    /// - Parameter offersHeld: as of `beginIncarnation`.
    public func endRecalling(offersHeld: Bool) throws {
        try write { record, database in
            let first = try QueueRecord.order(QueueRecord.Columns.place).fetchOne(database)
            let derived = try record.following(first)
            try Self.begin(derived ?? Incarnation(DeviceSchema.randomIncarnation()), &record, database)
            record.isHealing = try offersHeld && SentRecord.held(for: record.log).fetchCount(database) > 0
        }
    }

    // MARK: Ended incarnations

    /// Incarnations that take no further event, oldest first: a log that lost its tail may have forgotten it (rule S6).
    /// Remembered for as long as acknowledged events are kept, and at most `endedLimit`.
    public func endedIncarnations() throws -> [EndedIncarnation] {
        try database.read { database in
            try EndedRecord.order(EndedRecord.Columns.place, EndedRecord.Columns.endedAt).fetchAll(database)
                .map { EndedIncarnation(Incarnation($0.incarnation), place: $0.place) }
        }
    }

    static func remember(
        ended incarnation: Incarnation, at clock: Timestamp, _ record: DeviceRecord, _ database: Database
    ) throws {
        try EndedRecord(
            incarnation: incarnation.rawValue, endedAt: clock.microseconds, place: record.lastSentPlace
        ).insert(database, onConflict: .replace)
        let old = clock.adding(microseconds: -keptMicroseconds).microseconds
        _ = try EndedRecord.filter(
            EndedRecord.Columns.endedAt < old
                && EndedRecord.Columns.place <= record.lastSentPlace - Int64(keptEvents)
        ).deleteAll(database)
        let newest = EndedRecord.order(EndedRecord.Columns.place.desc, EndedRecord.Columns.endedAt.desc)
        for surplus in try newest.limit(endedLimit, offset: endedLimit).fetchAll(database) {
            _ = try surplus.delete(database)
        }
    }
}

/// The first unanswered events that can be asked for together: their places are dense, in one incarnation.
struct RecallBatch {
    private(set) var recall: Recall
    private(set) var lastPlace: Int64
    private var bytes: Int

    init(_ first: QueueRecord) throws(DeviceStoreError) {
        recall = Recall(
            incarnation: Incarnation(first.incarnation), firstSequence: DeviceSequence(first.sequence),
            events: [try first.eventID()])
        lastPlace = first.place
        bytes = first.payload.count
    }

    /// False: it does not fit, or stands somewhere else.
    mutating func add(_ record: QueueRecord) throws(DeviceStoreError) -> Bool {
        let next = recall.firstSequence.advanced(by: recall.events.count)
        bytes += record.payload.count
        guard record.incarnation == recall.incarnation.rawValue, record.sequence == next.rawValue,
            bytes <= DeviceStore.recallBytes
        else { return false }
        recall.events.append(try record.eventID())
        lastPlace = record.place
        return true
    }
}

extension DeviceRecord {
    /// The incarnation in which the queue goes on, whose first event is this one (rule P10); nil: one is drawn.
    func following(_ first: QueueRecord?) throws(DeviceStoreError) -> Incarnation? {
        guard let first, let owner else { return nil }
        return .following(
            Incarnation(first.incarnation), DeviceSequence(first.sequence), try first.eventID(), of: owner.device,
            in: owner.scope)
    }
}

extension AppendOutcome.Verdict {
    init(_ outcome: Outcome) {
        switch outcome {
        case .accepted: self = .accepted
        case .refused(let code, let message): self = .refused(code: code, message: message)
        }
    }
}
