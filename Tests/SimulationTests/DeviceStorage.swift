import FocusCore
import Foundation
import GRDB

import struct FocusCore.Cursor

@testable import FocusSyncClient

/// The storage of a device as `SyncClient` uses it: `DeviceStore`, or the same in memory, which is a hundred times
/// faster.
protocol DeviceStorage: AnyObject {
    var incarnation: Incarnation { get throws }
    var cursor: Cursor? { get throws }
    var queueRange: QueueRange { get throws }
    var hasQueued: Bool { get throws }
    var lastAnswered: EventID? { get throws }
    var isHealing: Bool { get throws }
    var isRecalling: Bool { get throws }
    var endedIncarnations: [EndedIncarnation] { get throws }
    func enqueue(_ drafts: [EventDraft], clock: Timestamp) throws -> [QueuedEvent]
    func queued(after sequence: DeviceSequence, maximumBytes: Int) throws -> [QueuedEvent]
    /// All events that are not acknowledged, in whichever incarnation.
    func queuedEvents() throws -> Set<EventID>
    func acknowledge(_ appended: Appended, clock: Timestamp) throws -> [AppendOutcome]
    func beginIncarnation(_ new: Incarnation, offersHeld: Bool, isEnded: Bool) throws
    func beginRecalling() throws
    func nextToRecall(_ position: RecallPosition, maximumEvents: Int) throws -> (Recall?, RecallPosition)
    func keepRecalled(_ recalled: Recalled, _ recall: Recall, clock: Timestamp) throws -> [AppendOutcome]
    /// - Parameter drawn: the next incarnation if no event is left to derive one from.
    func endRecalling(drawing drawn: Incarnation, offersHeld: Bool) throws
    func observe(_ reading: ClockReading, logged: DeviceSequence) throws
    func confirmed() throws -> [RowKey: [UInt8]]
    func digests() throws -> [CollectionDigest]
    func recomputedDigests() throws -> [CollectionDigest]
    func apply(_ rows: [DeltaRow], _ cursor: Cursor) throws
    func beginStaging() throws
    func stage(_ rows: [DeltaRow]) throws
    func finishDelta(_ cursor: Cursor) throws
    func finishSnapshot(_ cursor: Cursor, replacing collections: [RowCollection]) throws
    func advance(to cursor: Cursor) throws
    func beginHealing(logged: DeviceSequence) throws
    func nextToHeal(_ position: HealingPosition, maximumBytes: Int) throws -> (HealRequest?, HealingPosition)
    func keepHealed(_ appended: Appended, _ request: HealRequest) throws
    func endHealing() throws
    /// The acknowledged events that the store holds, oldest first.
    func heldEnvelopes() throws -> [SentEvent]
    /// Removes the oldest acknowledged events: those of as many receipts, or as many single events where there is no
    /// receipt.
    func forgetHeld(receipts: Int) throws
    /// The process dies and starts again: only what was committed remains.
    func crash() throws
    /// Adds a backup; the first one is number 0.
    func backUp() throws
    func restore(_ number: Int) throws
    /// Another store with the same contents, without backups.
    func copy() throws -> any DeviceStorage
}

extension DeviceStorage {
    func held() throws -> [HeldEvent] {
        try heldEnvelopes().map {
            HeldEvent(incarnation: $0.incarnation, sequence: $0.sequence, event: $0.envelope.id)
        }
    }
}

struct HeldEvent: Hashable {
    var incarnation: Incarnation
    var sequence: DeviceSequence
    var event: EventID
}

/// `DeviceStore` on files.
final class StoredDevice: DeviceStorage {
    private let directory: String
    private var store: DeviceStore
    private var backups = 0

    private init(copyOf other: StoredDevice) throws {
        directory = Self.newDirectory()
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: other.directory + "/live", toPath: directory + "/live")
        store = try DeviceStore(directory: directory + "/live")
    }

    private static func newDirectory() -> String {
        NSTemporaryDirectory() + "/focus-simulation-" + UUID().uuidString
    }

    init(_ owner: DeviceOwner, _ incarnation: Incarnation) throws {
        directory = Self.newDirectory()
        store = try DeviceStore(directory: directory + "/live")
        try store.claim(owner)
        try draw(incarnation)
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    var incarnation: Incarnation { get throws { try store.incarnation } }
    var cursor: Cursor? { get throws { try store.cursor } }
    var queueRange: QueueRange { get throws { try store.queueRange } }

    var hasQueued: Bool { get throws { try store.hasQueued } }
    var lastAnswered: EventID? { get throws { try store.lastAnswered } }

    func enqueue(_ drafts: [EventDraft], clock: Timestamp) throws -> [QueuedEvent] {
        try store.enqueue(drafts, clock: clock)
    }

    func queued(after sequence: DeviceSequence, maximumBytes: Int) throws -> [QueuedEvent] {
        try store.queued(after: sequence, maximumBytes: maximumBytes)
    }

    func queuedEvents() throws -> Set<EventID> { Set(try store.queued().map(\.envelope.id)) }

    func acknowledge(_ appended: Appended, clock: Timestamp) throws -> [AppendOutcome] {
        try store.acknowledge(appended, clock: clock)
    }

    func beginIncarnation(_ new: Incarnation, offersHeld: Bool, isEnded: Bool) throws {
        try store.beginIncarnation(offersHeld: offersHeld, isEnded: isEnded)
        try draw(new)
    }

    /// Begins an incarnation drawn by the simulation, because the store would draw one at random and a seed must decide
    /// it.
    private func draw(_ new: Incarnation) throws {
        try store.write { try DeviceStore.begin(new, &$0, $1) }
    }

    var isRecalling: Bool { get throws { try store.isRecalling } }
    var endedIncarnations: [EndedIncarnation] { get throws { try store.endedIncarnations() } }
    func beginRecalling() throws { try store.beginRecalling() }

    func nextToRecall(_ position: RecallPosition, maximumEvents: Int) throws -> (Recall?, RecallPosition) {
        try store.nextToRecall(position, maximumEvents: maximumEvents)
    }

    func keepRecalled(_ recalled: Recalled, _ recall: Recall, clock: Timestamp) throws -> [AppendOutcome] {
        try store.keepRecalled(recalled, recall, clock: clock)
    }

    func endRecalling(drawing drawn: Incarnation, offersHeld: Bool) throws {
        try store.endRecalling(offersHeld: offersHeld)
        if try !store.hasQueued { try draw(drawn) }
    }

    func observe(_ reading: ClockReading, logged: DeviceSequence) throws { try store.observe(reading, logged: logged) }

    func confirmed() throws -> [RowKey: [UInt8]] {
        Dictionary(uniqueKeysWithValues: try store.rows().map { ($0.key, $0.value) })
    }

    func digests() throws -> [CollectionDigest] { try store.digests() }
    func recomputedDigests() throws -> [CollectionDigest] { try store.recomputedDigests() }
    func apply(_ rows: [DeltaRow], _ cursor: Cursor) throws { try store.apply(rows, cursor) }
    func beginStaging() throws { try store.beginStaging() }
    func stage(_ rows: [DeltaRow]) throws { try store.stage(rows) }
    func finishDelta(_ cursor: Cursor) throws { try store.finishDelta(cursor) }

    func finishSnapshot(_ cursor: Cursor, replacing collections: [RowCollection]) throws {
        try store.finishSnapshot(cursor, replacing: collections)
    }

    func advance(to cursor: Cursor) throws { try store.advance(to: cursor) }

    var isHealing: Bool { get throws { try store.isHealing } }
    func beginHealing(logged: DeviceSequence) throws { try store.beginHealing(logged: logged) }

    func nextToHeal(_ position: HealingPosition, maximumBytes: Int) throws -> (HealRequest?, HealingPosition) {
        try store.nextToHeal(position, maximumBytes: maximumBytes)
    }

    func keepHealed(_ appended: Appended, _ request: HealRequest) throws { try store.keepHealed(appended, request) }
    func endHealing() throws { try store.endHealing() }

    func heldEnvelopes() throws -> [SentEvent] { try store.sent() }

    func forgetHeld(receipts: Int) throws {
        try store.write { _, database in
            for _ in 0..<receipts {
                guard let oldest = try SentRecord.order(SentRecord.Columns.place).fetchOne(database) else { return }
                try SentRecord.filter(SentRecord.Columns.place <= oldest.endOfReceipt(database)).deleteAll(database)
            }
        }
    }

    func crash() throws { try reopen {} }

    func backUp() throws {
        // Copies the database file and its WAL between two transactions. The store stays open, because closing it would
        // drop staged rows.
        try FileManager.default.copyItem(atPath: directory + "/live", toPath: directory + "/backup-\(backups)")
        backups += 1
    }

    func restore(_ number: Int) throws {
        try reopen {
            try FileManager.default.removeItem(atPath: directory + "/live")
            try FileManager.default.copyItem(atPath: directory + "/backup-\(number)", toPath: directory + "/live")
        }
    }

    func copy() throws -> any DeviceStorage { try StoredDevice(copyOf: self) }

    private func reopen(_ between: () throws -> Void) throws {
        try store.close()
        try between()
        store = try DeviceStore(directory: directory + "/live")
    }
}
