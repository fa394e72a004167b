/// A fact of a user's stream, as the log holds it: the device's envelope, the server's, and what it says.
public struct Event: Hashable, Sendable {
    public var version: Version
    public var device: DeviceID
    public var incarnation: Incarnation
    public var sequence: DeviceSequence
    public var id: EventID
    /// The app that the event belongs to; nil for user-level events. For `event.refused`, the app of the session's
    /// scope (nil for `system`).
    public var app: AppID?
    public var occurredAt: Timestamp
    /// The server's time; never goes backwards within a partition.
    public var recordedAt: Timestamp
    public var body: EventBody
    /// True when the log had lost the event and a device that had its receipt brought it back (rule S6): it alerts
    /// nobody again.
    public var isHealed: Bool

    public init(
        version: Version, device: DeviceID, incarnation: Incarnation, sequence: DeviceSequence, id: EventID,
        app: AppID?,
        occurredAt: Timestamp, recordedAt: Timestamp, body: EventBody, isHealed: Bool = false
    ) {
        self.version = version
        self.device = device
        self.incarnation = incarnation
        self.sequence = sequence
        self.id = id
        self.app = app
        self.occurredAt = occurredAt
        self.recordedAt = recordedAt
        self.body = body
        self.isHealed = isHealed
    }
}

/// `event.refused`: stands in the log in the place of an event that broke a rule (rule E2). It has no effect.
public struct EventRefused: Hashable, Sendable {
    /// The type as the device named it.
    public var type: String
    /// A `RefusalCode` raw value; a string, because an older program must read a newer code.
    public var code: String
    public var message: String

    public init(type: String, code: String, message: String) {
        self.type = type
        self.code = code
        self.message = message
    }
}
