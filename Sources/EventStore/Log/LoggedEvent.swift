import FocusCore
import FocusWire

/// An event as the log holds it: its place, its envelope, and its payload as the device sent it.
public struct LoggedEvent: Hashable, Sendable {
    public var partition: Partition
    public var offset: LogOffset
    public var user: UserID
    public var version: Version
    public var device: DeviceID
    public var incarnation: Incarnation
    public var sequence: DeviceSequence
    public var id: EventID
    /// An `EventType` raw value; a string, because an older program must be able to read a newer log.
    public var type: String
    public var app: AppID?
    /// When it happened, as its device says. The log stores a moment before `Timestamp.earliestStored` as that one.
    public var occurredAt: Timestamp
    public var recordedAt: Timestamp
    public var schemaVersion: Int32
    /// How the event came into the log: `asSent` or `healed`. The payload stands as the device sent it in both cases.
    public var encoding: Int16
    public var payload: [UInt8]

    public static let asSent: Int16 = 0
    /// The log had lost the event, and a device that held its receipt sent it again (rule S6).
    public static let healed: Int16 = 1

    public init(
        partition: Partition, offset: LogOffset, user: UserID, version: Version, device: DeviceID,
        incarnation: Incarnation, sequence: DeviceSequence, id: EventID, type: String, app: AppID?,
        occurredAt: Timestamp, recordedAt: Timestamp, schemaVersion: Int32, encoding: Int16 = 0, payload: [UInt8]
    ) {
        self.partition = partition
        self.offset = offset
        self.user = user
        self.version = version
        self.device = device
        self.incarnation = incarnation
        self.sequence = sequence
        self.id = id
        self.type = type
        self.app = app
        self.occurredAt = occurredAt
        self.recordedAt = recordedAt
        self.schemaVersion = schemaVersion
        self.encoding = encoding
        self.payload = payload
    }

    /// The event as the fold gets it. Throws `EventStoreError.unknownEvent`, or `PayloadError` when the payload does
    /// not decode.
    public func decoded() throws -> Event {
        guard let type = EventType(rawValue: type), encoding == Self.asSent || encoding == Self.healed else {
            throw EventStoreError.unknownEvent(type: type, encoding: encoding)
        }
        return Event(
            version: version, device: device, incarnation: incarnation, sequence: sequence, id: id, app: app,
            occurredAt: occurredAt, recordedAt: recordedAt,
            body: try PayloadCodec.decode(type, schemaVersion: schemaVersion, payload),
            isHealed: encoding == Self.healed)
    }
}
