/// What a server gives a device for events that it logged, and accepts as proof that it did (rule S6). Devices keep it
/// as it came, with the events; only a server with the same `ReceiptKey` can make or check one.
public struct Receipt: Hashable, Sendable {
    /// The first and the last event that it covers.
    public var first: DeviceSequence
    public var through: DeviceSequence
    /// `ReceiptKey.codeBytes` bytes.
    public var code: [UInt8]

    public init(first: DeviceSequence, through: DeviceSequence, code: [UInt8]) {
        self.first = first
        self.through = through
        self.code = code
    }
}

/// The owner of the events that a receipt covers: it proves nothing about anybody else's.
public struct ReceiptSubject: Hashable, Sendable {
    public var log: LogID
    public var user: UserID
    public var device: DeviceID
    public var incarnation: Incarnation
    /// The scope of the session that appended them: a receipt lets nobody past rule A4.
    public var scope: Scope

    public init(log: LogID, user: UserID, device: DeviceID, incarnation: Incarnation, scope: Scope) {
        self.log = log
        self.user = user
        self.device = device
        self.incarnation = incarnation
        self.scope = scope
    }
}
