import FocusCore
import Foundation
import GRDB

/// Asks the log what became of the unanswered events of a store that was restored from a backup, or copied (rule P10).
///
/// Flow: `beginRecalling` → for each run of places `nextToRecall`, `keepRecalled` → `endRecalling`. Each is one
/// transaction; after a crash between any two of them the next connection asks again for what is left.
extension DeviceStore {
    /// How many ended incarnations the store remembers at most (rule P10).
    public static let endedLimit = 256
    /// How many bytes the payloads of one Recall's events have at most: an answer about more has no receipts.
    static let recallBytes = 256 * 1024

    /// Whether recalling began and is not finished: it goes on with the next connection, and nothing is appended
    /// before.
    public var isRecalling: Bool { get throws { try record().isRecalling } }

    /// Stores that the places of the queued events may have other events in the log. Events that are queued from now on
    /// get the next sequences of the same incarnation, and are never sent there.
    public func beginRecalling() throws {
        try write { record, _ in record.isRecalling = true }
    }

    /// The next question, and the position behind it. Nil: there is nothing more to ask.
    ///
    /// Questions follow the order in which the events were made; the events of one Recall have dense places in one
    /// incarnation. No question covers what is queued after the first one was asked: it was never sent.
    func nextToRecall(
        _ position: RecallPosition, maximumEvents: Int = SessionLimits().eventsPerAppend
    ) throws -> (Recall?, RecallPosition) {
        try database.read { database in
            guard let device = try StoreRecord.fetchOne(database, key: 1) else { return (nil, position) }
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

    /// Stores an answer: the events that the log holds count as acknowledged where they stand.
    /// - Returns: what became of the events that the log holds.
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
            // After the loop: `EndedIncarnation.place` covers the events that it moved to table `sent`.
            try Self.remember(ended: recall.incarnation, at: clock, record, database)
            try Self.trimSent(after: outcomes.count, &record, at: clock, database)
            return outcomes
        }
    }

    /// Ends recalling, after the log has answered everything: the events that it does not hold get places in a new
    /// incarnation, in their order.
    ///
    /// The new incarnation is derived from the first of these events, so that copies of this store give them the same
    /// places. When none is left, nothing can be logged twice, and the incarnation is random.
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

    /// Incarnations that take no further event in the store's log, oldest first. The store remembers them because a log that lost its tail
    /// may have forgotten that they ended (rule S6): for as long as it keeps acknowledged events, and at most
    /// `endedLimit`.
    public func endedIncarnations() throws -> [EndedIncarnation] {
        try database.read { database in
            try EndedRecord.ended(in: StoreRecord.fetchOne(database, key: 1)?.log).order(EndedRecord.Columns.place, EndedRecord.Columns.endedAt).fetchAll(database)
                .map { EndedIncarnation(Incarnation($0.incarnation), place: $0.place) }
        }
    }

    static func remember(
        ended incarnation: Incarnation, at clock: Timestamp, _ record: StoreRecord, _ database: Database
    ) throws {
        try EndedRecord(
            incarnation: incarnation.rawValue, endedAt: clock.microseconds, place: record.lastSentPlace,
            log: record.log
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

/// The first unanswered events that one Recall can ask about: their places are dense, in one incarnation.
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

    /// Adds the event if the Recall has room for it and its place is the next one. Returns whether it did.
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

extension StoreRecord {
    /// The incarnation in which the queue goes on when `first` is its first event (rule P10). Nil: there is no such
    /// event, or no owner; the incarnation is random then.
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
