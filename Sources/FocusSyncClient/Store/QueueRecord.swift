import FocusCore
import Foundation
import GRDB

/// A row of table `queue`: an event that is not acknowledged yet.
struct QueueRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "queue"

    enum Columns {
        static let place = Column(CodingKeys.place)
        static let incarnation = Column(CodingKeys.incarnation)
        static let sequence = Column(CodingKeys.sequence)
        static let type = Column(CodingKeys.type)
        static let occurredAt = Column(CodingKeys.occurredAt)
        static let isChosen = Column(CodingKeys.isChosen)
    }

    /// The order in which the device made its events, over all incarnations: 1, 2, 3 … An event that had been
    /// acknowledged and lost its place in the log has a lower place than these (`SentRecord.displaced`).
    var place: Int64
    // Where the event stands in the log, or will: in the current incarnation, unless the store is recalling (rule P10).
    var incarnation: Int64
    var sequence: Int64
    var event: Data
    var type: String
    var app: String?
    var occurredAt: Int64
    var schemaVersion: Int32
    var payload: Data
    /// Whether the caller chose the time. Such a time is never moved (rule E4).
    var isChosen = false

    init(place: Int64, incarnation: Int64, sequence: Int64, _ envelope: Envelope, isChosen: Bool = false) {
        self.isChosen = isChosen
        self.place = place
        self.incarnation = incarnation
        self.sequence = sequence
        event = Data(envelope.id.bytes)
        type = envelope.type
        app = envelope.app
        occurredAt = envelope.occurredAt.microseconds
        schemaVersion = envelope.schemaVersion
        payload = Data(envelope.payload)
    }

    func queued() throws(DeviceStoreError) -> QueuedEvent {
        QueuedEvent(
            sequence: DeviceSequence(sequence),
            envelope: Envelope(
                id: try eventID(), type: type, app: app, occurredAt: Timestamp(microseconds: occurredAt),
                schemaVersion: schemaVersion, payload: Array(payload)))
    }

    func eventID() throws(DeviceStoreError) -> EventID {
        guard let id = EventID(bytes: event) else { throw .damaged("event \(place) has no id") }
        return id
    }

    /// How many bytes the event has in an Append frame, rather more than less.
    var frameBytes: Int { payload.count + type.utf8.count + (app?.utf8.count ?? 0) + 64 }
}
