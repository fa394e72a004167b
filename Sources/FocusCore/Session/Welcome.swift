/// The answer to Hello: what the log has of the device, and the limits of the session.
public struct Welcome: Hashable, Sendable {
    public var protocolVersion: UInt32
    public var session: String
    public var log: LogID
    /// The last sequence logged of this device incarnation.
    public var lastSequence: DeviceSequence
    /// The event at `lastSequence`; nil when the log cannot name it, which does not mean another event.
    public var lastEvent: EventID?
    /// The incarnation takes no further event (rule P10).
    public var isEnded: Bool
    /// The log does not hold the event that the cursor names: it lost its tail (rule S6).
    public var logIsBehind: Bool
    public var maximumFrameBytes: UInt32
    public var maximumUnacknowledgedAppends: UInt32
    public var heartbeatMilliseconds: UInt32
    public var serverTime: Timestamp
    /// Fetches that may be under way at a time; 0 when the server knows no fetches.
    public var maximumFetches: UInt32
    public var quotas: Quotas

    public init(
        protocolVersion: UInt32, session: String, log: LogID, lastSequence: DeviceSequence, lastEvent: EventID? = nil,
        isEnded: Bool = false, logIsBehind: Bool = false, maximumFrameBytes: UInt32,
        maximumUnacknowledgedAppends: UInt32, heartbeatMilliseconds: UInt32,
        serverTime: Timestamp, maximumFetches: UInt32 = 0, quotas: Quotas = Quotas()
    ) {
        self.protocolVersion = protocolVersion
        self.session = session
        self.log = log
        self.lastSequence = lastSequence
        self.lastEvent = lastEvent
        self.isEnded = isEnded
        self.logIsBehind = logIsBehind
        self.maximumFrameBytes = maximumFrameBytes
        self.maximumUnacknowledgedAppends = maximumUnacknowledgedAppends
        self.heartbeatMilliseconds = heartbeatMilliseconds
        self.serverTime = serverTime
        self.maximumFetches = maximumFetches
        self.quotas = quotas
    }
}
