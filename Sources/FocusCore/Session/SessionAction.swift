/// What a session wants done. The channel handler performs these in order and decides nothing.
public enum SessionAction: Hashable, Sendable {
    case send(ServerMessage)
    /// Check the token; answer with `authenticated` or `authenticationFailed`.
    case authenticate(token: String)
    /// Check the new token (rule A2); answer with `renewed`.
    case renew(token: String)
    /// Subscribe to the user's rows; answer with `opened` or `failed`.
    case open(SessionOpening)
    /// Hand the events to the log; answer with `appendAnswered` or `failed`.
    case append(AppendRequest)
    /// Hand what the log lost back to it (rule S6); answered like `append`.
    case heal(HealRequest)
    /// Tell which of these events the log holds (rule P10); answered like `append`.
    case recall(Recall)
    /// Send these collections afresh (rule S9).
    case resync([RowCollection])
    /// Ask the user's partition; answer with `fetchAnswered` once the answer is written.
    case fetch(FetchRequest)
    /// Ask the other user's partition for this viewer (rule F6); answer a fetch of this id as `fetch` is answered.
    case reach(UInt64, ReachQuestion, Viewer)
    /// Tell the viewer the current statuses of these users, then their changes (rule V1).
    case watch(Set<UserID>, Viewer)
    case unwatch(Set<UserID>)
    /// The device is in use, with this app in front if one is named, until it says otherwise (rule L6).
    case inUse(AppID?)
    /// The device is not in use any more.
    case outOfUse
    /// From now on frames may be this large (rule W1).
    case allowFrames(bytes: Int)
    /// Stop taking bytes from the socket, or go on (rule P9).
    case pauseReading
    case resumeReading
    /// Flush what was sent, then close the connection.
    case close
}

/// What a session asks of the user's partition when it begins.
public struct SessionOpening: Hashable, Sendable {
    public var identity: Identity
    public var view: View
    public var incarnation: Incarnation
    public var cursor: Cursor?
    /// The version that both sides speak.
    public var protocolVersion: UInt32

    public init(
        identity: Identity, view: View, incarnation: Incarnation, cursor: Cursor?, protocolVersion: UInt32 = 1
    ) {
        self.identity = identity
        self.view = view
        self.incarnation = incarnation
        self.cursor = cursor
        self.protocolVersion = protocolVersion
    }
}

/// The partition's answer to an opening.
public struct SessionOpened: Hashable, Sendable {
    public var log: LogID
    public var lastSequence: DeviceSequence
    /// The event at `lastSequence`; nil when the log cannot name it.
    public var lastEvent: EventID?
    /// The incarnation takes no further event (rule P10).
    public var isEnded: Bool
    /// The cursor names an event of this log that this log does not hold (rule S6).
    public var logIsBehind: Bool
    public init(
        log: LogID, lastSequence: DeviceSequence, lastEvent: EventID? = nil, isEnded: Bool = false,
        logIsBehind: Bool = false
    ) {
        self.log = log
        self.lastSequence = lastSequence
        self.lastEvent = lastEvent
        self.isEnded = isEnded
        self.logIsBehind = logIsBehind
    }
}
