import FocusCore
import FocusWire

/// Something that happened, before it has an identity and a place: what an app passes to `SyncClient.append`.
public struct EventDraft: Hashable, Sendable {
    /// The raw value of an `EventType`. Any other text is sent as it is, for servers newer than this library.
    public var type: String
    /// The bundle identifier of the app that the event belongs to; nil for an event of the user.
    public var app: String?
    /// When it happened. Nil: now, or 1 µs after the greatest time that this device has seen, whichever is later (rule
    /// E3).
    public var occurredAt: Timestamp?
    /// The version of the payload's schema, as the catalogue counts it.
    public var schemaVersion: Int32
    /// The bytes of the protobuf message that the catalogue names for the type: at most 256 KiB (rule E5).
    public var payload: [UInt8]
    /// The event's id. Nil: a new UUIDv7. Set it only to append again an event that was appended before.
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
