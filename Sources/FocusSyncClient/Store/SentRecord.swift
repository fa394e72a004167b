import FocusCore
import Foundation
import GRDB

/// A row of table `sent`: an event that the server acknowledged. The store keeps it in case the log loses it (rule S6),
/// and shows it over the confirmed rows until a delta brings what it did.
struct SentRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "sent"

    enum Columns {
        static let place = Column(CodingKeys.place)
        static let type = Column(CodingKeys.type)
        static let refusal = Column(CodingKeys.refusal)
        static let version = Column(CodingKeys.version)
        static let acknowledgedAt = Column(CodingKeys.acknowledgedAt)
        static let incarnation = Column(CodingKeys.incarnation)
        static let sequence = Column(CodingKeys.sequence)
        static let event = Column(CodingKeys.event)
        static let payload = Column(CodingKeys.payload)
        static let receiptThrough = Column(CodingKeys.receiptThrough)
        static let log = Column(CodingKeys.log)
    }

    /// The order in which events were answered: 1, 2, 3 … over all incarnations.
    var place: Int64
    var incarnation: Int64
    var sequence: Int64
    var event: Data
    var type: String
    var app: String?
    var occurredAt: Int64
    var schemaVersion: Int32
    var payload: Data
    /// The refusal's code; nil: the event was accepted.
    var refusal: String?
    var message: String?
    /// The rows include the event from this version on. 0: they count as including it. `Int64.max`: the log lost the
    /// event, and it is shown over the rows until the healing ends.
    var version: Int64
    /// When the store learned of the acknowledgement, by the device's clock, in microseconds since 1970.
    var acknowledgedAt: Int64
    // The receipt that covers the event, and the first and last sequence that it covers (rule S6); nil: there is none.
    var receiptFirst: Int64?
    var receiptThrough: Int64?
    var receipt: Data?
    /// The log that acknowledged the event, and the only one that it is offered to. Nil until the store knows of a log.
    var log: Data?

    init(_ queued: QueueRecord, place: Int64, _ outcome: AppendOutcome, at time: Timestamp, log: Data?) {
        self.place = place
        incarnation = queued.incarnation
        sequence = queued.sequence
        event = queued.event
        type = queued.type
        app = queued.app
        occurredAt = queued.occurredAt
        schemaVersion = queued.schemaVersion
        payload = queued.payload
        if case .refused(let code, let message) = outcome.verdict { (refusal, self.message) = (code, message) }
        version = outcome.version.rawValue
        acknowledgedAt = time.microseconds
        self.log = log
    }

    func envelope() throws(DeviceStoreError) -> Envelope {
        guard let id = EventID(bytes: event) else { throw .damaged("event \(place) has no id") }
        return Envelope(
            id: id, type: type, app: app, occurredAt: Timestamp(microseconds: occurredAt),
            schemaVersion: schemaVersion, payload: Array(payload))
    }
}
