import FocusCore
import FocusWire

/// Something that happened, before it has an identity and a place: what an app hands to `SyncClient.append`.
public struct EventDraft: Hashable, Sendable {
    /// An `EventType` raw value; another text is sent as it is, for servers newer than this library.
    public var type: String
    /// The app it is of; nil for events of the user.
    public var app: String?
    /// Nil: now, and after everything this device has seen (rule E3).
    public var occurredAt: Timestamp?
    public var schemaVersion: Int32
    /// The protobuf message that the catalogue names for the type.
    public var payload: [UInt8]
    /// Nil: a fresh UUIDv7. Set it only to say again what was said before.
    public var id: EventID?

    public init(_ body: EventBody, app: AppID? = nil, occurredAt: Timestamp? = nil) {
        self.init(
            type: body.type.rawValue, app: app?.rawValue, occurredAt: occurredAt, payload: PayloadCodec.encode(body))
    }

    public init(
        type: String, app: String? = nil, occurredAt: Timestamp? = nil, schemaVersion: Int32 = 1, payload: [UInt8],
        id: EventID? = nil
    ) {
        self.type = type
        self.app = app
        self.occurredAt = occurredAt
        self.schemaVersion = schemaVersion
        self.payload = payload
        self.id = id
    }
}
