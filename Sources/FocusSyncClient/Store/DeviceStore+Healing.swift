import FocusCore
import Foundation
import GRDB

/// Gives a log that lost its tail what it had acknowledged to this store (rule S6).
extension DeviceStore {
    /// Whether the next connection heals: a healing is not finished, or the log may have lost what it answered about
    /// recalled or re-offered events.
    public var isHealing: Bool { get throws { try record().healsNext } }

    /// Stores that the log ends at `logged` in the current incarnation, and that it is to get back what the store
    /// holds.
    func beginHealing(logged: DeviceSequence) throws {
        try write { record, database in
            (record.isHealing, record.unseenVersion) = (true, 0)
            // Versions of the lost history mean nothing in what the log now holds. Accepted events that the log lacks
            // are shown over the confirmed rows until the healing ends.
            try Self.forgetVersions(database)
            _ = try SentRecord.filter(
                SentRecord.Columns.incarnation == record.incarnation && SentRecord.Columns.sequence > logged.rawValue
                    && SentRecord.Columns.refusal == nil
            ).updateAll(database, SentRecord.Columns.version.set(to: Int64.max))
        }
    }

    func endHealing() throws {
        try write { record, database in
            record.isHealing = false
            // Events that the log did not get back are shown no longer.
            _ = try SentRecord.filter(SentRecord.Columns.version == Int64.max)
                .updateAll(database, SentRecord.Columns.version.set(to: 0))
        }
    }

    /// The next request, and the position behind it. Nil: there is nothing more to offer.
    ///
    /// Every held event that this log acknowledged is offered, in the order in which the events were answered. The log
    /// does not store twice what it still holds at the same place; where it holds another event, a copy of this store
    /// has appended to it. The events of one receipt go together, so that the server can check it; without a receipt,
    /// as many as fit go together.
    func nextToHeal(_ position: HealingPosition, maximumBytes: Int) throws -> (HealRequest?, HealingPosition) {
        try database.read { database in
            guard let device = try StoreRecord.fetchOne(database, key: 1) else { return (nil, position) }
            let isLeft =
                SentRecord.Columns.place > position.place && SentRecord.Columns.place <= position.through ?? .max
            let left = SentRecord.held(for: device.log).filter(isLeft).order(SentRecord.Columns.place)
            let records = try Self.nextBatch(of: left, maximumBytes: maximumBytes, database)
            return try position.request(records, device, maximumBytes: maximumBytes)
        }
    }

    /// Reads at least as many records as the next request can carry. Mostly those are the events of one receipt, often
    /// few: with a full frame's number for each request, each of tens of thousands of held events would be read a
    /// thousand times.
    private static func nextBatch(
        of left: QueryInterfaceRequest<SentRecord>, maximumBytes: Int, _ database: Database
    ) throws -> [SentRecord] {
        let limit = SessionLimits().eventsPerAppend
        let ofReceipt = try left.fetchOne(database)?.eventsOfReceipt ?? limit
        let records = try left.limit(ofReceipt).fetchAll(database)
        guard ofReceipt < limit, ReofferBatch(records, maximumBytes: maximumBytes)?.isProved == false else {
            return records
        }
        return try left.limit(limit).fetchAll(database)
    }

    /// Stores what became of re-offered events, and their new receipts. An event whose place has another event now is
    /// unanswered again: see `displace`.
    func keepHealed(_ appended: Appended, _ request: HealRequest) throws {
        guard case .reoffer(let offer) = request else { return }
        try write { record, database in
            let last = min(appended.throughSequence, offer.receipt.through)
            let records = SentRecord.filter(
                SentRecord.Columns.incarnation == offer.incarnation.rawValue
                    && SentRecord.Columns.sequence >= offer.firstSequence.rawValue
                    && SentRecord.Columns.sequence <= last.rawValue)
            let refusals = Dictionary(appended.refused.map { ($0.sequence.rawValue, $0) }) { first, _ in first }
            for var kept in try records.fetchAll(database) {
                let refused = refusals[kept.sequence]
                if let refused, refused.isDisplaced {
                    try Self.displace(kept, &record, database)
                    continue
                }
                kept.version = appended.version.rawValue
                record.unseenVersion = max(record.unseenVersion, appended.version.rawValue)
                if let refused { (kept.refusal, kept.message) = (refused.code, refused.message) }
                kept.keep(appended.receipts)
                try kept.update(database)
            }
        }
    }

    /// Queues an acknowledged event again: the log lost it and gave its place to another event, or takes no further
    /// event there. It keeps its incarnation and sequence, and comes before all other queued events. The store is
    /// recalling from now on (rule P10).
    private static func displace(
        _ sent: SentRecord, _ record: inout StoreRecord, _ database: Database
    ) throws {
        _ = try sent.delete(database)
        record.sentBytes -= sent.keptBytes
        try add(sent.displaced(), &record, database)
        record.isRecalling = true
    }
}

extension RefusedEvent {
    /// Whether the place of a re-offered event has another event, or can get none any more. The event itself is not
    /// refused then (rule S6).
    var isDisplaced: Bool { code == ErrorCode.sequenceConflict.rawValue }
}

extension HealingPosition {
    /// The next request, and the position behind it. Nil: there is nothing more to offer.
    /// - Parameter records: the first records behind `place`, in the order of their places.
    func request(
        _ records: [SentRecord], _ device: StoreRecord, maximumBytes: Int
    ) throws(DeviceStoreError) -> (HealRequest?, HealingPosition) {
        let current = Incarnation(device.incarnation)
        var after = self
        guard let batch = ReofferBatch(records, maximumBytes: maximumBytes) else {
            guard through == nil, mayLose, next <= device.queue.acknowledged else { return (nil, self) }
            after.next = device.queue.acknowledged.next
            return (.lost(current, next, device.queue.acknowledged), after)
        }
        if batch.incarnation == current {
            if mayLose, batch.first > next {
                after.next = batch.first
                return (.lost(current, next, batch.first.advanced(by: -1)), after)
            }
            after.next = max(next, batch.last.next)
        }
        after.place = batch.lastPlace
        return (.reoffer(try batch.reoffer()), after)
    }
}

/// The first records that can be offered together in one frame.
struct ReofferBatch {
    private var records: ArraySlice<SentRecord>
    let isProved: Bool

    /// Nil: there are no records.
    init?(_ records: [SentRecord], maximumBytes: Int) {
        guard let first = records.first else { return nil }
        if let end = Self.endOfReceipt(records[...]) {
            self.records = records[..<end]
            isProved = true
            return
        }
        var end = 1
        var bytes = first.frameBytes
        while end < records.count, records[end].follows(records[end - 1]), Self.endOfReceipt(records[end...]) == nil {
            bytes += records[end].frameBytes
            guard bytes <= maximumBytes else { break }
            end += 1
        }
        self.records = records[..<end]
        isProved = false
    }

    /// The index behind the last event of the first record's receipt. Nil unless all events of that receipt are here.
    private static func endOfReceipt(_ records: ArraySlice<SentRecord>) -> Int? {
        guard let first = records.first, first.receipt != nil, first.receiptFirst == first.sequence,
            let through = first.receiptThrough
        else { return nil }
        let (length, overflow) = through.subtractingReportingOverflow(first.sequence)
        guard !overflow, (0..<Int64(records.count)).contains(length) else { return nil }
        let end = records.startIndex + Int(length) + 1
        let areDense = (records.startIndex + 1..<end).allSatisfy { records[$0].follows(records[$0 - 1]) }
        return areDense ? end : nil
    }

    var incarnation: Incarnation { Incarnation(records[records.startIndex].incarnation) }
    var first: DeviceSequence { DeviceSequence(records[records.startIndex].sequence) }
    var last: DeviceSequence { DeviceSequence(records[records.endIndex - 1].sequence) }
    var lastPlace: Int64 { records[records.endIndex - 1].place }

    func reoffer() throws(DeviceStoreError) -> Reoffer {
        var events: [Reoffer.Offered] = []
        for record in records {
            var envelope = try record.envelope()
            var outcome = Outcome.accepted
            if case .refused(let code, let message) = record.verdict {
                outcome = .refused(code: code, message: message)
                envelope.payload = []
            }
            events.append(Reoffer.Offered(envelope: envelope, outcome: outcome))
        }
        let code = isProved ? records.first?.receipt.map { Array($0) } ?? [] : []
        return Reoffer(incarnation: incarnation, firstSequence: first, events: events, code: code)
    }
}

extension SentRecord {
    /// The records that may be offered to this log: those that it acknowledged itself.
    static func held(for log: Data?) -> QueryInterfaceRequest<SentRecord> { filter(Columns.log == log) }

    /// How many events the record's receipt covers. Nil: there is no receipt, or it does not begin with this event.
    fileprivate var eventsOfReceipt: Int? {
        guard receipt != nil, receiptFirst == sequence, let receiptThrough else { return nil }
        let (length, overflow) = receiptThrough.subtractingReportingOverflow(sequence)
        guard !overflow, (0..<Int64(SessionLimits().eventsPerAppend)).contains(length) else { return nil }
        return Int(length) + 1
    }

    fileprivate func follows(_ other: SentRecord) -> Bool {
        incarnation == other.incarnation && sequence == other.sequence + 1
    }

    /// The event as an unanswered one: at the incarnation and sequence that it had, and before all that the queue
    /// holds.
    func displaced() throws(DeviceStoreError) -> QueueRecord {
        QueueRecord(place: Int64.min / 2 + place, incarnation: incarnation, sequence: sequence, try envelope())
    }

    fileprivate var frameBytes: Int { payload.count + type.utf8.count + (message?.utf8.count ?? 0) + 128 }

    /// How long the code of a receipt may be. Those of the server that this library comes with have 32 bytes.
    private static let receiptBytes = 64

    /// Keeps the receipt that covers the event, if one of these does.
    mutating func keep(_ receipts: [Receipt]) {
        // A server may say anything, and the receipt is kept with each event that it covers. So one that names more
        // events than a frame holds, or whose code is too long, is not believed.
        let limit = SessionLimits().eventsPerAppend
        guard
            let found = receipts.first(where: {
                $0.first > .zero && $0.first.rawValue <= sequence && sequence <= $0.through.rawValue
                    && $0.through < $0.first.advanced(by: limit) && $0.code.count <= Self.receiptBytes
            })
        else { return }
        receiptFirst = found.first.rawValue
        receiptThrough = found.through.rawValue
        receipt = Data(found.code)
    }
}

extension HealRequest {
    fileprivate static func lost(_ incarnation: Incarnation, _ first: DeviceSequence, _ last: DeviceSequence) -> Self {
        .lost(LostEvents(incarnation: incarnation, first: first, last: last))
    }
}
