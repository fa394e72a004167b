import FocusCore
import Foundation
import GRDB

/// A row of table `sent`: an event that the server acknowledged, kept in case it has to be offered again (rule S6), and
/// shown until a delta brings what it did.
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
    /// The code; nil: it was accepted.
    var refusal: String?
    var message: String?
    /// Rows at this version include it. 0: no matter.
    var version: Int64
    /// By the device's clock, in microseconds.
    var acknowledgedAt: Int64
    // The receipt that covers it, with its sequences (rule S6); nil: there is none.
    var receiptFirst: Int64?
    var receiptThrough: Int64?
    var receipt: Data?
    /// The one that acknowledged it: no other is offered it.
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
