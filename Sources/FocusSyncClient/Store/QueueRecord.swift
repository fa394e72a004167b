import FocusCore
import Foundation
import GRDB

/// A row of table `queue`: an event that is not acknowledged yet.
struct QueueRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "queue"

    enum Columns {
        static let place = Column(CodingKeys.place)
        static let occurredAt = Column(CodingKeys.occurredAt)
        static let isChosen = Column(CodingKeys.isChosen)
    }

    /// 1, 2, 3 … over all incarnations.
    var place: Int64
    var event: Data
    var type: String
    var app: String?
    var occurredAt: Int64
    var schemaVersion: Int32
    var payload: Data
    /// The caller said when it happened: the time is no stamp, and stays.
    var isChosen = false

    init(place: Int64, _ envelope: Envelope, isChosen: Bool = false) {
        self.isChosen = isChosen
        self.place = place
        event = Data(envelope.id.bytes)
        type = envelope.type
        app = envelope.app
        occurredAt = envelope.occurredAt.microseconds
        schemaVersion = envelope.schemaVersion
        payload = Data(envelope.payload)
    }

    func queued(base: Int64) throws(DeviceStoreError) -> QueuedEvent {
        guard let id = EventID(bytes: event) else { throw .damaged("event \(place) has no id") }
        return QueuedEvent(
            sequence: DeviceSequence(place - base),
            envelope: Envelope(
                id: id, type: type, app: app, occurredAt: Timestamp(microseconds: occurredAt),
                schemaVersion: schemaVersion, payload: Array(payload)))
    }

    /// Its bytes in an Append frame, rather more than less.
    var frameBytes: Int { payload.count + type.utf8.count + (app?.utf8.count ?? 0) + 64 }
}
