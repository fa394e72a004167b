import FocusCore
import Foundation
import GRDB

import struct FocusCore.Cursor

/// What a device keeps in a directory of its own: its incarnation, the events that the server has not acknowledged,
/// the rows that it has confirmed, and the cursor that goes with them.
///
/// SQLite with a write-ahead log, flushed to the disk at each commit: what `enqueue` returned survives a power cut.
/// Methods block; call them from a thread that may. Safe to call from several.
public final class DeviceStore: Sendable {
    /// Unacknowledged events that are kept; one more is refused with `queueFull`.
    public static let queueLimit = 10_000
    /// Bytes of their payloads.
    public static let queueByteLimit = 256 * 1024 * 1024
    /// One payload: what servers accept (rule E5).
    public static let payloadByteLimit = EventLimits.payloadBytes

    public let directory: String
    let database: DatabaseQueue
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

    /// Closes the file and lets others have the directory; further calls throw. Without it both happen when the last
    /// reference goes.
    public func close() throws {
        try database.close()
        lock.release()
    }

    // MARK: Identity

    /// Makes the store the owner's; throws `otherOwner` when it is somebody else's.
    public func claim(_ owner: DeviceOwner) throws {
        try write { record, _ in
            if let stored = record.owner, stored != owner {
                throw DeviceStoreError.otherOwner(stored: stored, asked: owner)
            }
            record.set(owner)
        }
    }

    public var owner: DeviceOwner? { get throws { try record().owner } }
    public var incarnation: Incarnation { get throws { Incarnation(try record().incarnation) } }
    public var cursor: Cursor? { get throws { try record().cursor } }
    /// Whether an event is not acknowledged.
    public var hasQueued: Bool { get throws { try record().queuedEvents > 0 } }
    /// The sequences of the current incarnation. While the store is recalling, the queue may hold other events too.
    public var queueRange: QueueRange { get throws { try record().queue } }

    /// The event at `queueRange.acknowledged`, also when it is not held any longer. Nil: there is none, or a version of
    /// this library that did not keep its id acknowledged it.
    public var lastAnswered: EventID? { get throws { try record().answered } }

    /// Begins a new incarnation, a random one (rule E1): unacknowledged events keep their ids and order, and get
    /// sequences from 1. For another log, and for a store without unacknowledged events; else see `beginRecalling`.
    /// - Parameters:
    ///   - offersHeld: what earlier incarnations had acknowledged is offered with the next connection: the new one has
    ///     nothing acknowledged by which a log that lost its tail would show itself (rule S6). False: to no log, as the
    ///     server has another one.
    ///   - isEnded: the log says that the incarnation takes no further event (rule P10).
    public func beginIncarnation(offersHeld: Bool, isEnded: Bool = false, clock: Timestamp = .now) throws {
        try write { record, database in
            if isEnded { try Self.remember(ended: Incarnation(record.incarnation), at: clock, record, database) }
            try Self.begin(Incarnation(DeviceSchema.randomIncarnation()), &record, database)
            record.unseenVersion = 0
            record.isHealing = try offersHeld && SentRecord.held(for: record.log).fetchCount(database) > 0
            try Self.forgetVersions(database)
        }
    }

    /// The queue's events, in their order, get the first sequences of it.
    static func begin(_ incarnation: Incarnation, _ record: inout DeviceRecord, _ database: Database) throws {
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

    /// The log of the last Welcome; nil: there was none.
    public var log: LogID? { get throws { try record().log.flatMap { LogID(bytes: $0) } } }

    /// Takes note of the log of a Welcome: what is acknowledged from now on is in it, and is offered to no other (rule
    /// S6).
    public func enter(_ log: LogID) throws {
        try write { record, database in
            let bytes = Data(log.bytes)
            if record.log == nil {
                _ = try SentRecord.held(for: nil)
                    .updateAll(database, SentRecord.Columns.log.set(to: bytes))
            }
            record.log = bytes
        }
    }

    // MARK: Access

    func record() throws -> DeviceRecord {
        try database.read { try Self.record($0) }
    }

    /// One transaction; the device's row is stored at its end when it changed.
    func write<Result>(_ body: (inout DeviceRecord, Database) throws -> Result) throws -> Result {
        try database.write { database in
            var record = try Self.record(database)
            let before = record
            let result = try body(&record, database)
            if record != before { try record.update(database) }
            return result
        }
    }

    private static func record(_ database: Database) throws -> DeviceRecord {
        guard let record = try DeviceRecord.fetchOne(database, key: 1) else {
            throw DeviceStoreError.damaged("it has no identity")
        }
        return record
    }
}
