import FocusCore

/// What a lane holds at the moment at which it was asked.
public struct LaneState: Hashable, Sendable {
    /// A kind of session.
    public struct SessionKind: Hashable, Sendable {
        /// What the device is, as it or its token says.
        public var deviceClass: DeviceClass
        /// Whether the session is one of an app; else it is of the device's own agent.
        public var isOfApp: Bool

        public init(deviceClass: DeviceClass, isOfApp: Bool) {
            (self.deviceClass, self.isOfApp) = (deviceClass, isOfApp)
        }
    }

    public var sessions: [SessionKind: Int] = [:]
    /// Connections that said Hello and wait to be let in.
    public var waitingSessions = 0
    /// Append frames that wait for a statement.
    public var waitingFrames = 0
    /// Users in memory, and about how many bytes they take.
    public var residentUsers = 0
    public var residentBytes = 0
    /// Users who are being loaded, or wait for it.
    public var loadingUsers = 0
    public var quarantinedUsers = 0
    /// Users in memory for whom something is due by now (rules T1, T3), and since when for the one who waits longest.
    public var dueUsers = 0
    public var dueSince: Timestamp?
    public var projection = ProjectionLag()

    public init() {}
}

/// What a lane has counted, and what it holds.
public struct LaneFigures: Hashable, Sendable {
    public var counts = LaneCounts()
    public var state = LaneState()

    public init() {}
}
