import FocusCore
import Foundation
import GRDB

extension DeviceStore {
    /// Puts events at the end of the queue, all or none; they are durable when it returns.
    /// - Parameter clock: the device's time now. An event without a time of its own gets it, or a later one (rule E3).
    /// - Throws: `DeviceStoreError.queueFull`, `payloadTooLarge`, `nameTooLong`, `erased`; a database error.
    public func enqueue(_ drafts: [EventDraft], clock: Timestamp) throws -> [QueuedEvent] {
        try write { record, database in
            try Self.checkRoom(for: drafts, record)
            var generator = SystemRandomNumberGenerator()
            var events: [QueuedEvent] = []
            for draft in drafts {
                if let chosen = draft.occurredAt { record.eventClock.observe(chosen: chosen, clock: clock) }
                let milliseconds = UInt64(max(0, clock.microseconds / 1_000))
                let envelope = Envelope(
                    id: draft.id ?? .version7(milliseconds: milliseconds, using: &generator), type: draft.type,
                    app: draft.app, occurredAt: draft.occurredAt ?? record.eventClock.stamp(clock: clock),
                    schemaVersion: draft.schemaVersion, payload: draft.payload)
                record.lastPlace += 1
                let queued = QueueRecord(
                    place: record.lastPlace, incarnation: record.incarnation, sequence: record.nextSequence(), envelope,
                    isChosen: draft.occurredAt != nil)
                try Self.add(queued, &record, database)
                events.append(QueuedEvent(sequence: record.queue.last, envelope: envelope))
            }
            return events
        }
    }

    private static func checkRoom(for drafts: [EventDraft], _ record: StoreRecord) throws(DeviceStoreError) {
        for draft in drafts {
            guard draft.payload.count <= payloadByteLimit else {
                throw .payloadTooLarge(bytes: draft.payload.count, limit: payloadByteLimit)
            }
            let bytes = max(draft.type.utf8.count, draft.app?.utf8.count ?? 0)
            guard bytes <= nameByteLimit else { throw .nameTooLong(bytes: bytes, limit: nameByteLimit) }
        }
        let events = Int(record.queuedEvents)
        let bytes = Int(record.queuedBytes)
        guard events + drafts.count <= queueLimit,
            drafts.reduce(bytes, { $0 + $1.payload.count }) <= queueByteLimit
        else { throw .queueFull(events: events, bytes: bytes) }
    }

    static func add(_ queued: QueueRecord, _ record: inout StoreRecord, _ database: Database) throws {
        try queued.insert(database)
        record.queuedEvents += 1
        record.queuedBytes += Int64(queued.payload.count)
    }

    /// The unacknowledged events, oldest first.
    public func queued() throws -> [QueuedEvent] {
        try database.read { database in
            try QueueRecord.order(QueueRecord.Columns.place).fetchAll(database).map { try $0.queued() }
        }
    }

    /// The first queued events of the current incarnation after a sequence: as many as fit into an Append frame of
    /// `maximumBytes`, but at least one if there is any.
    func queued(
        after sequence: DeviceSequence, maximumEvents: Int = SessionLimits().eventsPerAppend, maximumBytes: Int
    ) throws -> [QueuedEvent] {
        try database.read { database in
            guard let record = try StoreRecord.fetchOne(database, key: 1) else { return [] }
            let records =
                try QueueRecord
                .filter(QueueRecord.Columns.incarnation == record.incarnation)
                .filter(QueueRecord.Columns.sequence > sequence.rawValue)
                .order(QueueRecord.Columns.sequence).limit(maximumEvents).fetchCursor(database)
            var events: [QueuedEvent] = []
            // The bytes of the frame's own fields, rather more than less.
            var bytes = 64
            while let next = try records.next() {
                bytes += next.frameBytes
                if bytes > maximumBytes, !events.isEmpty { break }
                events.append(try next.queued())
            }
            return events
        }
    }

    /// Moves acknowledged events out of the queue, keeps them for healing (rule S6), and says what became of each.
    /// - Parameter clock: the device's time now.
    public func acknowledge(_ appended: Appended, clock: Timestamp = .now) throws -> [AppendOutcome] {
        let refusals = Dictionary(appended.refused.map { ($0.event, $0) }) { first, _ in first }
        return try write { record, database in
            let sequence = min(record.lastSequence, appended.throughSequence.rawValue)
            guard sequence > record.acknowledgedSequence else { return [] }
            let done = QueueRecord.filter(
                QueueRecord.Columns.incarnation == record.incarnation && QueueRecord.Columns.sequence <= sequence)
            let outcomes = try done.order(QueueRecord.Columns.sequence).fetchAll(database).map { next in
                let event = try next.queued()
                let refused = refusals[event.envelope.id]
                let outcome = AppendOutcome(
                    sequence: event.sequence, event: event.envelope.id, type: event.envelope.type,
                    verdict: refused.map { .refused(code: $0.code, message: $0.message) } ?? .accepted,
                    version: appended.version)
                try Self.keep(next, outcome, appended.receipts, at: clock, &record, database)
                return outcome
            }
            try done.deleteAll(database)
            record.acknowledgedSequence = sequence
            if let last = outcomes.last {
                record.answeredIncarnation = record.incarnation
                (record.answeredSequence, record.answeredEvent) = (sequence, Data(last.event.bytes))
            }
            try Self.trimSent(after: outcomes.count, &record, at: clock, database)
            return outcomes
        }
    }

    /// Moves the counters and a copy of an answered event from the queue to table `sent`. The caller deletes its row in
    /// the queue.
    static func keep(
        _ queued: QueueRecord, _ outcome: AppendOutcome, _ receipts: [Receipt], at clock: Timestamp,
        _ record: inout StoreRecord, _ database: Database
    ) throws {
        record.queuedEvents -= 1
        record.queuedBytes -= Int64(queued.payload.count)
        record.lastSentPlace += 1
        var sent = SentRecord(queued, place: record.lastSentPlace, outcome, at: clock, log: record.log)
        sent.keep(receipts)
        try sent.insert(database)
        record.sentBytes += sent.keptBytes
    }
}
