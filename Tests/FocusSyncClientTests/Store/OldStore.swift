import FocusCore
import Foundation
import GRDB

@testable import FocusSyncClient

/// The file of a store as an earlier version of the library wrote it: event sequences were places minus `sequenceBase`.
final class OldStore {
    struct Device: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "device"

        var id: Int64 = 1
        var user: String?
        var device: String?
        var scope: String?
        var incarnation: Int64 = 7
        var sequenceBase: Int64 = 0
        var lastPlace: Int64 = 0
        var acknowledgedPlace: Int64 = 0
        var queuedBytes: Int64 = 0
        var sentBytes: Int64 = 0
        var isHealing = false
        var greatestTime: Int64 = 0
        var cursorLog: Data?
        var cursorVersion: Int64 = 0
        var cursorEvent: Data?
        var cursorView: Int64 = 0
    }

    private struct Queued: Codable, PersistableRecord {
        static let databaseTableName = "queue"

        var place: Int64
        var event: Data
        var type: String
        var app: String?
        var occurredAt: Int64
        var schemaVersion: Int32
        var payload: Data
    }

    private struct Sent: Codable, PersistableRecord {
        static let databaseTableName = "sent"

        var place: Int64
        var incarnation: Int64
        var sequence: Int64
        var event: Data
        var type: String
        var occurredAt: Int64
        var schemaVersion: Int32 = 1
        var payload: Data
        var version: Int64 = 1
        var acknowledgedAt: Int64
    }

    let directory: String
    private let database: DatabaseQueue
    var device = Device()

    /// - Parameter migration: the newest migration that the earlier version knew.
    init(directory: String, upTo migration: String) throws {
        self.directory = directory
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        database = try DatabaseQueue(path: directory + "/device.sqlite")
        try DeviceSchema.migrator.migrate(database, upTo: migration)
    }

    /// Adds an event of the current incarnation.
    @discardableResult
    func add(bytes: Int = 8, isAcknowledged: Bool) throws -> EventID {
        device.lastPlace += 1
        let place = device.lastPlace
        let event = Fixture.cursor(place).event
        let envelope = Envelope(
            id: event, type: "t", app: nil, occurredAt: Fixture.clock, schemaVersion: 1,
            payload: [UInt8](repeating: 1, count: bytes))
        let queued = QueueRecord(
            place: place, incarnation: device.incarnation, sequence: place - device.sequenceBase, envelope)
        try database.write { database in
            guard isAcknowledged else {
                device.queuedBytes += Int64(bytes)
                return try Queued(
                    place: place, event: queued.event, type: queued.type, app: nil, occurredAt: queued.occurredAt,
                    schemaVersion: 1, payload: queued.payload
                ).insert(database)
            }
            device.acknowledgedPlace = place
            device.sentBytes += Int64(bytes) + DeviceStore.keptRowBytes
            try Sent(
                place: place, incarnation: queued.incarnation, sequence: queued.sequence, event: queued.event,
                type: queued.type, occurredAt: queued.occurredAt, payload: queued.payload,
                acknowledgedAt: Fixture.clock.microseconds
            ).insert(database)
        }
        return event
    }

    func finish(_ adjust: (inout Device) -> Void = { _ in }) throws {
        adjust(&device)
        try database.write { try device.insert($0) }
        try database.close()
    }
}
