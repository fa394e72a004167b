/// An event as a device sends it. The payload stays bytes until the fold needs it, and is logged as it came.
public struct Envelope: Hashable, Sendable {
    public var id: EventID
    /// The type as the device named it; an `EventType` raw value when this program knows it.
    public var type: String
    public var app: String?
    public var occurredAt: Timestamp
    public var schemaVersion: Int32
    public var payload: [UInt8]

    public init(id: EventID, type: String, app: String?, occurredAt: Timestamp, schemaVersion: Int32, payload: [UInt8])
    {
        self.id = id
        self.type = type
        self.app = app
        self.occurredAt = occurredAt
        self.schemaVersion = schemaVersion
        self.payload = payload
    }
}
