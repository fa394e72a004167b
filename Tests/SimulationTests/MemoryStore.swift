import FocusCore
import Foundation

import struct FocusCore.Cursor

@testable import FocusSyncClient

/// `DeviceStore` in memory. `SimulationTests` runs the same seeds with both stores, which must give the same results.
///
/// The decisions (`HealingPosition.request`, `RecallBatch`, `StoreRecord.following`, `SentRecord.keep`) are the
/// library's own; only its SQL statements are replaced here.
final class MemoryStore: DeviceStorage {
    private struct Contents {
        var device: StoreRecord
        /// Ordered by place.
        var queue: [QueueRecord] = []
        /// Ordered by place.
        var sent: [SentRecord] = []
        var ended: [EndedIncarnation] = []
        var rows: [RowKey: [UInt8]] = [:]
        var digests = RunningDigests()
    }

    private var contents: Contents
    private var staged: [DeltaRow] = []
    private var backups: [Contents] = []

    init(_ owner: DeviceOwner, _ incarnation: Incarnation) {
        contents = Contents(device: StoreRecord(incarnation: incarnation.rawValue))
        contents.device.set(owner)
    }

    var incarnation: Incarnation { Incarnation(contents.device.incarnation) }
    var cursor: Cursor? { contents.device.cursor }
    var queueRange: QueueRange { contents.device.queue }
    var hasQueued: Bool { !contents.queue.isEmpty }
    var lastAnswered: EventID? { contents.device.answered }

    // MARK: Queue

    func enqueue(_ drafts: [EventDraft], clock: Timestamp) throws -> [QueuedEvent] {
        try drafts.map { draft in
            if let chosen = draft.occurredAt { contents.device.eventClock.observe(chosen: chosen, clock: clock) }
            guard let id = draft.id else { throw DeviceStoreError.damaged("the simulation gives every event its id") }
            let envelope = Envelope(
                id: id, type: draft.type, app: draft.app,
                occurredAt: draft.occurredAt ?? contents.device.eventClock.stamp(clock: clock),
                schemaVersion: draft.schemaVersion, payload: draft.payload)
            contents.device.lastPlace += 1
            contents.queue.append(
                QueueRecord(
                    place: contents.device.lastPlace, incarnation: contents.device.incarnation,
                    sequence: contents.device.nextSequence(), envelope,
                    isChosen: draft.occurredAt != nil))
            return QueuedEvent(sequence: queueRange.last, envelope: envelope)
        }
    }

    func queued(after sequence: DeviceSequence, maximumBytes: Int) throws -> [QueuedEvent] {
        var events: [QueuedEvent] = []
        var bytes = 64
        for next in contents.queue
        where next.incarnation == contents.device.incarnation && next.sequence > sequence.rawValue {
            bytes += next.frameBytes
            if bytes > maximumBytes, !events.isEmpty { break }
            events.append(try next.queued())
        }
        return events
    }

    func queuedEvents() throws -> Set<EventID> { Set(try contents.queue.map { try $0.eventID() }) }

    func acknowledge(_ appended: Appended, clock: Timestamp) throws -> [AppendOutcome] {
        let refusals = Dictionary(appended.refused.map { ($0.event, $0) }) { first, _ in first }
        let sequence = min(contents.device.lastSequence, appended.throughSequence.rawValue)
        guard sequence > contents.device.acknowledgedSequence else { return [] }
        let current = contents.device.incarnation
        let done = contents.queue.filter { $0.incarnation == current && $0.sequence <= sequence }
        let outcomes = try done.map { next in
            let event = try next.queued()
            let refused = refusals[event.envelope.id]
            let outcome = AppendOutcome(
                sequence: event.sequence, event: event.envelope.id, type: event.envelope.type,
                verdict: refused.map { .refused(code: $0.code, message: $0.message) } ?? .accepted,
                version: appended.version)
            keep(next, outcome, appended.receipts, at: clock)
            return outcome
        }
        contents.queue.removeAll { $0.incarnation == current && $0.sequence <= sequence }
        contents.device.acknowledgedSequence = sequence
        if let last = outcomes.last {
            contents.device.answeredIncarnation = current
            (contents.device.answeredSequence, contents.device.answeredEvent) = (sequence, Data(last.event.bytes))
        }
        return outcomes
    }

    private func keep(_ queued: QueueRecord, _ outcome: AppendOutcome, _ receipts: [Receipt], at clock: Timestamp) {
        contents.device.lastSentPlace += 1
        var sent = SentRecord(queued, place: contents.device.lastSentPlace, outcome, at: clock, log: nil)
        sent.keep(receipts)
        contents.sent.append(sent)
    }

    func beginIncarnation(_ new: Incarnation, offersHeld: Bool, isEnded: Bool) throws {
        if isEnded { remember(ended: incarnation) }
        begin(new)
        contents.device.unseenVersion = 0
        contents.device.isHealing = offersHeld && !contents.sent.isEmpty
    }

    private func begin(_ new: Incarnation) {
        contents.device.incarnation = new.rawValue
        (contents.device.lastSequence, contents.device.acknowledgedSequence) = (0, 0)
        contents.device.isRecalling = false
        for index in contents.queue.indices {
            contents.queue[index].incarnation = new.rawValue
            contents.queue[index].sequence = contents.device.nextSequence()
        }
    }

    private func remember(ended incarnation: Incarnation) {
        contents.ended.removeAll { $0.incarnation == incarnation }
        contents.ended.append(EndedIncarnation(incarnation, place: contents.device.lastSentPlace))
    }

    // MARK: Recalling

    var isRecalling: Bool { contents.device.isRecalling }
    var endedIncarnations: [EndedIncarnation] { contents.ended }
    func beginRecalling() throws { contents.device.isRecalling = true }

    func nextToRecall(_ position: RecallPosition, maximumEvents: Int) throws -> (Recall?, RecallPosition) {
        var next = position
        let through = position.through ?? contents.device.lastPlace
        next.through = through
        let records = contents.queue.filter { $0.place > position.place && $0.place <= through }.prefix(maximumEvents)
        guard let first = records.first else { return (nil, next) }
        var batch = try RecallBatch(first)
        for record in records.dropFirst() {
            guard try batch.add(record) else { break }
        }
        next.place = batch.lastPlace
        return (batch.recall, next)
    }

    func keepRecalled(_ recalled: Recalled, _ recall: Recall, clock: Timestamp) throws -> [AppendOutcome] {
        var outcomes: [AppendOutcome] = []
        for (index, (event, outcome)) in zip(recall.events, recalled.outcomes).enumerated() {
            guard let outcome else { continue }
            let sequence = recall.firstSequence.advanced(by: index)
            let place = contents.queue.firstIndex {
                $0.incarnation == recall.incarnation.rawValue && $0.sequence == sequence.rawValue
            }
            guard let place, try contents.queue[place].eventID() == event else { continue }
            let answer = AppendOutcome(
                sequence: sequence, event: event, type: contents.queue[place].type,
                verdict: AppendOutcome.Verdict(outcome), version: recalled.version)
            keep(contents.queue.remove(at: place), answer, recalled.receipts, at: clock)
            outcomes.append(answer)
        }
        contents.device.unseenVersion = max(contents.device.unseenVersion, recalled.version.rawValue)
        remember(ended: recall.incarnation)
        return outcomes
    }

    func endRecalling(drawing drawn: Incarnation, offersHeld: Bool) throws {
        begin(try contents.device.following(contents.queue.first) ?? drawn)
        contents.device.isHealing = offersHeld && !contents.sent.isEmpty
    }

    func observe(_ reading: ClockReading, logged: DeviceSequence) throws {
        let first = max(contents.device.acknowledgedSequence, logged.rawValue)
        let current = contents.device.incarnation
        var (previous, greatest) = (Timestamp?.none, Timestamp?.none)
        for index in contents.queue.indices where !contents.device.isRecalling {
            let queued = contents.queue[index]
            guard queued.incarnation == current, queued.sequence > first, !queued.isChosen else { continue }
            var time = Timestamp(microseconds: queued.occurredAt)
            if let other = reading.restamped(time, after: previous) {
                greatest = max(greatest ?? time, time)
                contents.queue[index].occurredAt = other.microseconds
                time = other
            }
            previous = time
        }
        contents.device.eventClock.observe(reading, restamped: greatest, to: previous)
    }

    // MARK: Rows

    func confirmed() throws -> [RowKey: [UInt8]] { contents.rows }
    func digests() throws -> [CollectionDigest] { contents.digests.digests }

    func recomputedDigests() throws -> [CollectionDigest] {
        var digests = RunningDigests()
        for (key, value) in contents.rows { digests.add(RowHash(key, value: value).value, to: key.collection) }
        return digests.digests
    }

    func apply(_ rows: [DeltaRow], _ cursor: Cursor) throws {
        for row in rows {
            if let time = row.seenTime { contents.device.eventClock.observe(time) }
            if let before = contents.rows[row.key] {
                contents.digests.remove(RowHash(row.key, value: before).value, from: row.key.collection)
            }
            contents.rows[row.key] = row.value
            if let value = row.value {
                contents.digests.add(RowHash(row.key, value: value).value, to: row.key.collection)
            }
        }
        contents.device.set(cursor)
    }

    func beginStaging() throws { staged = [] }
    func stage(_ rows: [DeltaRow]) throws { staged += rows }

    func finishDelta(_ cursor: Cursor) throws {
        defer { staged = [] }
        try apply(staged, cursor)
    }

    func finishSnapshot(_ cursor: Cursor, replacing collections: [RowCollection]) throws {
        for (key, value) in contents.rows where collections.isEmpty || collections.contains(key.collection) {
            contents.digests.remove(RowHash(key, value: value).value, from: key.collection)
            contents.rows[key] = nil
        }
        if collections.isEmpty, let before = contents.device.cursor, before.view != cursor.view {
            // Versions are counted otherwise from now on (rule Z1).
            contents.device.unseenVersion = 0
            for index in contents.sent.indices { contents.sent[index].version = 0 }
        }
        try finishDelta(cursor)
    }

    func advance(to cursor: Cursor) throws { contents.device.set(cursor) }

    // MARK: Healing

    var isHealing: Bool { contents.device.healsNext }
    func beginHealing(logged: DeviceSequence) throws {
        (contents.device.isHealing, contents.device.unseenVersion) = (true, 0)
    }
    func endHealing() throws { contents.device.isHealing = false }

    func nextToHeal(_ position: HealingPosition, maximumBytes: Int) throws -> (HealRequest?, HealingPosition) {
        let records = contents.sent.filter { $0.place > position.place && $0.place <= position.through ?? .max }
        return try position.request(records, contents.device, maximumBytes: maximumBytes)
    }

    func keepHealed(_ appended: Appended, _ request: HealRequest) throws {
        guard case .reoffer(let offer) = request else { return }
        let last = min(appended.throughSequence, offer.receipt.through).rawValue
        let refusals = Dictionary(appended.refused.map { ($0.sequence.rawValue, $0) }) { first, _ in first }
        let places = offer.firstSequence.rawValue...max(offer.firstSequence.rawValue, last)
        var kept: [SentRecord] = []
        for var sent in contents.sent {
            if sent.incarnation == offer.incarnation.rawValue, sent.sequence <= last, places.contains(sent.sequence) {
                if let refused = refusals[sent.sequence] {
                    if refused.isDisplaced {
                        try displace(sent)
                        continue
                    }
                    (sent.refusal, sent.message) = (refused.code, refused.message)
                }
                sent.version = appended.version.rawValue
                contents.device.unseenVersion = max(contents.device.unseenVersion, appended.version.rawValue)
                sent.keep(appended.receipts)
            }
            kept.append(sent)
        }
        contents.sent = kept
    }

    private func displace(_ sent: SentRecord) throws {
        let queued = try sent.displaced()
        let index = contents.queue.firstIndex { $0.place > queued.place } ?? contents.queue.endIndex
        contents.queue.insert(queued, at: index)
        contents.device.isRecalling = true
    }

    func heldEnvelopes() throws -> [SentEvent] {
        try contents.sent.map {
            SentEvent(
                incarnation: Incarnation($0.incarnation), sequence: DeviceSequence($0.sequence),
                envelope: try $0.envelope(), verdict: $0.verdict)
        }
    }

    func forgetHeld(receipts: Int) throws {
        for _ in 0..<receipts {
            guard let oldest = contents.sent.first else { return }
            let through = oldest.receiptThrough ?? oldest.sequence
            let ofReceipt = contents.sent.filter {
                $0.incarnation == oldest.incarnation
                    && (oldest.sequence...max(oldest.sequence, through)).contains($0.sequence)
            }
            let end = ofReceipt.map(\.place).max() ?? oldest.place
            contents.sent.removeAll { $0.place <= end }
        }
    }

    // MARK: Accidents

    func crash() throws { staged = [] }

    func backUp() throws { backups.append(contents) }

    func restore(_ number: Int) throws {
        contents = backups[number]
        staged = []
    }

    private init(copyOf other: MemoryStore) { contents = other.contents }
    func copy() throws -> any DeviceStorage { MemoryStore(copyOf: self) }
}
