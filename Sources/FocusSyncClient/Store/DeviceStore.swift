import FocusCore
import Foundation
import GRDB
import Synchronization

import struct FocusCore.Cursor

/// What a device keeps in a directory of its own: its incarnation, the events that the server has not acknowledged,
/// the rows that it has confirmed, and the cursor that goes with them.
///
/// It is an SQLite file with a write-ahead log that is flushed to the disk at each commit: an event that `enqueue` has
/// returned survives a power cut. Methods block, so call them from a thread that may block; several threads may call
/// at once.
public final class DeviceStore: Sendable {
    /// How many unacknowledged events a store holds; one more is refused with `DeviceStoreError.queueFull`.
    public static let queueLimit = 10_000
    /// How many bytes the payloads of all unacknowledged events have together; more are refused with `queueFull`.
    public static let queueByteLimit = 256 * 1024 * 1024
    /// How many bytes one payload has at most: as many as servers accept (rule E5).
    public static let payloadByteLimit = EventLimits.payloadBytes
    /// How many bytes the type or app of an event has at most: more than any that a server knows has.
    public static let nameByteLimit = 1_024

    /// The directory that the store was opened in.
    public let directory: String
    let database: DatabaseQueue
    /// Whether it was erased and not claimed since: what comes then is of a user who has left, and belongs to nobody.
    let isErased = Atomic(false)
    private let lock: DirectoryLock

    /// Opens the store in `directory`, making both when they are missing.
    /// - Throws: `DeviceStoreError`; `inUse` when another process has it open.
    public init(directory: String) throws(DeviceStoreError) {
        self.directory = directory
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .cannotOpen(directory: directory, reason: error.localizedDescription)
        }
        lock = try DirectoryLock(directory: directory)
        try Self.closeToOthers(directory)
        do {
            var configuration = Configuration()
            configuration.journalMode = .wal
            database = try DatabaseQueue(path: directory + "/device.sqlite", configuration: configuration)
            // GRDB sets NORMAL with WAL, which may lose the last commits in a power cut.
            try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try DeviceSchema.migrator.migrate(database)
            try database.write(DeviceSchema.prepare)
        } catch {
            throw .cannotOpen(directory: directory, reason: "\(error)")
        }
    }

    /// Makes the store's files readable for their owner alone before SQLite opens them, because the directory may be open
    /// to others. SQLite gives the files that it makes beside the first one the mode of that one.
    private static func closeToOthers(_ directory: String) throws(DeviceStoreError) {
        for (name, flags) in [("", O_CREAT), ("-wal", 0), ("-shm", 0)] {
            let descriptor = open(directory + "/device.sqlite" + name, O_RDWR | O_CLOEXEC | flags, 0o600)
            if descriptor < 0, errno == ENOENT { continue }
            let isClosed = descriptor >= 0 && fchmod(descriptor, 0o600) == 0
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { Foundation.close(descriptor) }
            guard isClosed else { throw .cannotOpen(directory: directory, reason: reason) }
        }
    }

    /// Closes the file and releases the directory, so that another store can open it. Calls after this throw. A store
    /// that nobody closes is closed when its last reference goes away.
    public func close() throws {
        try database.close()
        lock.release()
    }

    // MARK: Identity

    /// Makes `owner` the owner of a store that has none yet. A store that has an owner keeps it.
    /// - Throws: `DeviceStoreError.otherOwner` when the store belongs to somebody else.
    public func claim(_ owner: DeviceOwner) throws {
        try change { record, _ in
            if let stored = record.owner, stored != owner {
                throw DeviceStoreError.otherOwner(stored: stored, asked: owner)
            }
            record.set(owner)
        }
        isErased.store(false, ordering: .releasing)
    }

    /// The user, device and scope that the store belongs to; nil until `claim`.
    public var owner: DeviceOwner? { get throws { try record().owner } }
    /// The current incarnation (rule E1): new events get their sequences in it.
    public var incarnation: Incarnation { get throws { Incarnation(try record().incarnation) } }
    /// Which version of the user's stream the confirmed rows are of; nil before the first snapshot.
    public var cursor: Cursor? { get throws { try record().cursor } }
    /// Whether an event waits for its acknowledgement.
    public var hasQueued: Bool { get throws { try record().queuedEvents > 0 } }
    /// The sequences of the current incarnation. While the store is recalling, the queue may hold other events too.
    public var queueRange: QueueRange { get throws { try record().queue } }

    /// The id of the event at `queueRange.acknowledged`, which the store keeps longer than the event. Nil when there is
    /// none, or when an earlier version of this library got the acknowledgement and did not keep the id.
    public var lastAnswered: EventID? { get throws { try record().answered } }

    /// Begins a new, random incarnation (rule E1). Unacknowledged events keep their ids and their order, and get
    /// sequences from 1.
    ///
    /// Call it when the server has another log, or when the store has no unacknowledged events. In any other case the
    /// old log may have some of them: call `beginRecalling`.
    /// - Parameters:
    ///   - offersHeld: whether the next connection offers what earlier incarnations had acknowledged: nothing is
    ///     acknowledged in the new one, so a log that lost its tail would not show itself (rule S6). False when the
    ///     server has another log, which is offered nothing.
    ///   - isEnded: whether the log says that the incarnation before takes no further event (rule P10).
    ///   - clock: the device's time now.
    public func beginIncarnation(offersHeld: Bool, isEnded: Bool = false, clock: Timestamp = .now) throws {
        try write { record, database in
            if isEnded { try Self.remember(ended: Incarnation(record.incarnation), at: clock, record, database) }
            try Self.begin(Incarnation(DeviceSchema.randomIncarnation()), &record, database)
            record.unseenVersion = 0
            record.isHealing = try offersHeld && SentRecord.held(for: record.log).fetchCount(database) > 0
            try Self.forgetVersions(database)
        }
    }

    /// Begins an incarnation: the queued events get its first sequences, in their order.
    static func begin(_ incarnation: Incarnation, _ record: inout StoreRecord, _ database: Database) throws {
        record.incarnation = incarnation.rawValue
        (record.lastSequence, record.acknowledgedSequence, record.isRecalling) = (0, 0, false)
        let places = try QueueRecord.select(QueueRecord.Columns.place, as: Int64.self)
            .order(QueueRecord.Columns.place).fetchAll(database)
        for place in places {
            let sequence = record.nextSequence()
            _ = try QueueRecord.filter(key: place).updateAll(
                database, QueueRecord.Columns.incarnation.set(to: record.incarnation),
                QueueRecord.Columns.sequence.set(to: sequence))
        }
    }

    /// The log that the last Welcome named; nil: there was no Welcome yet.
    public var log: LogID? { get throws { try record().log.flatMap { LogID(bytes: $0) } } }

    /// Stores the log that a Welcome names: what is acknowledged from now on is in it, and is offered to no other log
    /// (rule S6).
    public func enter(_ log: LogID) throws {
        try write { record, database in
            let bytes = Data(log.bytes)
            if record.log == nil {
                _ = try SentRecord.held(for: nil)
                    .updateAll(database, SentRecord.Columns.log.set(to: bytes))
                _ = try EndedRecord.ended(in: nil)
                    .updateAll(database, EndedRecord.Columns.log.set(to: bytes))
            }
            record.log = bytes
        }
    }

    // MARK: Access

    func record() throws -> StoreRecord {
        try database.read { try Self.record($0) }
    }

    /// Runs `body` in one transaction, at whose end the device's row is stored if it changed. Throws
    /// `DeviceStoreError.erased` while the store belongs to nobody any more.
    func write<Result>(_ body: (inout StoreRecord, Database) throws -> Result) throws -> Result {
        try change { record, database in
            guard !isErased.load(ordering: .acquiring) else { throw DeviceStoreError.erased }
            return try body(&record, database)
        }
    }

    private func change<Result>(_ body: (inout StoreRecord, Database) throws -> Result) throws -> Result {
        try database.write { database in
            var record = try Self.record(database)
            let before = record
            let result = try body(&record, database)
            if record != before { try record.update(database) }
            return result
        }
    }

    private static func record(_ database: Database) throws -> StoreRecord {
        guard let record = try StoreRecord.fetchOne(database, key: 1) else {
            throw DeviceStoreError.damaged("it has no identity")
        }
        guard record.isSound else { throw DeviceStoreError.damaged("its counters are none that it can have") }
        return record
    }
}
