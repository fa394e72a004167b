import FocusCore

@testable import FocusSyncClient

/// What `DeviceStore` does, in memory. `SimulationTests` runs the same seeds with both: they must not differ.
final class MemoryStore: DeviceStorage {
    private struct Contents {
        var incarnation: Incarnation
        var base: Int64 = 0
        var lastPlace: Int64 = 0
        var acknowledgedPlace: Int64 = 0
        var clock = EventClock()
        var queue: [QueuedPlace] = []
        var sent: [SentRecord] = []
        var isHealing = false
        var cursor: Cursor?
        var rows: [RowKey: [UInt8]] = [:]
        var digests = RunningDigests()
    }

    private struct QueuedPlace {
        var place: Int64
        var envelope: Envelope
        var isChosen: Bool
    }

    private var contents: Contents
    private var staged: [DeltaRow] = []
    private var backup: Contents?

    init(_ incarnation: Incarnation) { contents = Contents(incarnation: incarnation) }

    var incarnation: Incarnation { contents.incarnation }
    var cursor: Cursor? { contents.cursor }

    var queueRange: QueueRange {
        QueueRange(
            acknowledged: DeviceSequence(contents.acknowledgedPlace - contents.base),
            last: DeviceSequence(contents.lastPlace - contents.base))
    }

    // MARK: Queue

    func enqueue(_ drafts: [EventDraft], clock: Timestamp) throws -> [QueuedEvent] {
        var events: [QueuedEvent] = []
        for draft in drafts {
            if let chosen = draft.occurredAt { contents.clock.note(chosen: chosen, clock: clock) }
            guard let id = draft.id else { throw DeviceStoreError.damaged("the simulation gives every event its id") }
            let envelope = Envelope(
                id: id, type: draft.type, app: draft.app,
                occurredAt: draft.occurredAt ?? contents.clock.stamp(clock: clock), schemaVersion: draft.schemaVersion,
                payload: draft.payload)
            contents.lastPlace += 1
            contents.queue.append(
                QueuedPlace(place: contents.lastPlace, envelope: envelope, isChosen: draft.occurredAt != nil))
            events.append(QueuedEvent(sequence: queueRange.last, envelope: envelope))
        }
        return events
    }

    func queued(after sequence: DeviceSequence, maximumBytes: Int) throws -> [QueuedEvent] {
        var events: [QueuedEvent] = []
        var bytes = 64
        for next in contents.queue where next.place > contents.base + sequence.rawValue {
            bytes += QueueRecord(place: next.place, next.envelope).frameBytes
            if bytes > maximumBytes, !events.isEmpty { break }
            events.append(
                QueuedEvent(sequence: DeviceSequence(next.place - contents.base), envelope: next.envelope))
        }
        return events
    }

    func acknowledge(_ appended: Appended, clock: Timestamp) throws -> [AppendOutcome] {
        let refusals = Dictionary(appended.refused.map { ($0.event, $0) }) { first, _ in first }
        let place = min(contents.lastPlace, contents.base + appended.throughSequence.rawValue)
        guard place > contents.acknowledgedPlace else { return [] }
        let done = contents.queue.filter { $0.place <= place }
        contents.queue.removeAll { $0.place <= place }
        contents.acknowledgedPlace = place
        return done.map { next in
            let refused = refusals[next.envelope.id]
            let outcome = AppendOutcome(
                sequence: DeviceSequence(next.place - contents.base), event: next.envelope.id,
                type: next.envelope.type,
                verdict: refused.map { .refused(code: $0.code, message: $0.message) } ?? .accepted,
                version: appended.version)
            var device = DeviceRecord(incarnation: contents.incarnation.rawValue)
            device.sequenceBase = contents.base
            var sent = SentRecord(QueueRecord(place: next.place, next.envelope), device, outcome, at: clock)
            sent.keep(appended.receipts)
            contents.sent.append(sent)
            return outcome
        }
    }

    func beginIncarnation(_ new: Incarnation, offersHeld: Bool) throws {
        contents.isHealing = offersHeld && !contents.sent.isEmpty
        contents.incarnation = new
        contents.base = contents.acknowledgedPlace
    }

    func see(_ reading: ClockReading, logged: DeviceSequence) throws {
        let first = max(contents.acknowledgedPlace, contents.base + logged.rawValue)
        var (previous, greatest) = (Timestamp?.none, Timestamp?.none)
        for index in contents.queue.indices where contents.queue[index].place > first && !contents.queue[index].isChosen
        {
            let time = contents.queue[index].envelope.occurredAt
            if let other = reading.restamped(time, after: previous) {
                greatest = max(greatest ?? time, time)
                contents.queue[index].envelope.occurredAt = other
            }
            previous = contents.queue[index].envelope.occurredAt
        }
        contents.clock.see(reading, restamped: greatest, to: previous)
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
            if let time = row.seenTime { contents.clock.see(time) }
            if let before = contents.rows[row.key] {
                contents.digests.remove(RowHash(row.key, value: before).value, from: row.key.collection)
            }
            contents.rows[row.key] = row.value
            if let value = row.value {
                contents.digests.add(RowHash(row.key, value: value).value, to: row.key.collection)
            }
        }
        contents.cursor = cursor
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
        try finishDelta(cursor)
    }

    func advance(to cursor: Cursor) throws { contents.cursor = cursor }

    // MARK: Healing

    var isHealing: Bool { contents.isHealing }
    func beginHealing(logged: DeviceSequence) throws { contents.isHealing = true }
    func endHealing() throws { contents.isHealing = false }

    func nextToHeal(_ position: HealingPosition, maximumBytes: Int) throws -> (HealRequest?, HealingPosition) {
        let (current, logged) = (contents.incarnation, position.logged.rawValue)
        let wanted = contents.sent.filter { sent in
            sent.place > position.place
                && (sent.incarnation != current.rawValue || sent.sequence > logged
                    || (sent.receiptThrough ?? 0) > logged)
        }
        var next = position
        let lost = { (last: DeviceSequence) in
            HealRequest.lost(LostEvents(incarnation: current, first: position.next, last: last))
        }
        guard let batch = ReofferBatch(wanted, maximumBytes: maximumBytes) else {
            guard position.next <= queueRange.acknowledged else { return (nil, position) }
            next.next = queueRange.acknowledged.next
            return (lost(queueRange.acknowledged), next)
        }
        if batch.incarnation == current {
            if batch.first > position.next {
                next.next = batch.first
                return (lost(batch.first.advanced(by: -1)), next)
            }
            next.next = max(position.next, batch.last.next)
        }
        next.place = batch.lastPlace
        return (.reoffer(try batch.reoffer()), next)
    }

    func keepHealed(_ appended: Appended, _ request: HealRequest) throws {
        guard case .reoffer(let offer) = request else { return }
        let last = min(appended.throughSequence, offer.receipt.through)
        let refusals = Dictionary(appended.refused.map { ($0.sequence.rawValue, $0) }) { first, _ in first }
        for index in contents.sent.indices {
            let sequence = contents.sent[index].sequence
            guard contents.sent[index].incarnation == offer.incarnation.rawValue,
                sequence >= offer.firstSequence.rawValue, sequence <= last.rawValue
            else { continue }
            if let refused = refusals[sequence] {
                (contents.sent[index].refusal, contents.sent[index].message) = (refused.code, refused.message)
            }
            contents.sent[index].keep(appended.receipts)
        }
    }

    func held() throws -> [HeldEvent] {
        try contents.sent.map {
            HeldEvent(
                incarnation: Incarnation($0.incarnation), sequence: DeviceSequence($0.sequence),
                event: try $0.envelope().id)
        }
    }

    func forgetHeld(receipts: Int) throws {
        for _ in 0..<receipts {
            guard let oldest = contents.sent.first else { return }
            contents.sent.removeAll { $0.place <= oldest.endOfReceipt }
        }
    }

    // MARK: Accidents

    func crash() throws { staged = [] }
    func backUp() throws { backup = contents }

    func restore() throws -> Bool {
        guard let backup else { return false }
        contents = backup
        staged = []
        return true
    }
}
