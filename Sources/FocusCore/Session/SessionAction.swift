/// What a session wants done. The channel handler performs these in order and decides nothing.
public enum SessionAction: Hashable, Sendable {
    case send(ServerMessage)
    /// Check the token; answer with `authenticated` or `authenticationFailed`.
    case authenticate(token: String)
    /// Check the new token (rule A2); answer with `renewed`.
    case renew(token: String)
    /// Subscribe to the user's rows; answer with `opened` or `failed`.
    case open(SessionOpening)
    /// Hand the events to the log; answer with `appended` or `failed`.
    case append(AppendRequest)
    /// Hand what the log lost back to it (rule S6); answered like `append`.
    case heal(HealRequest)
    /// Send these collections afresh (rule S9).
    case resync([RowCollection])
    /// Ask the user's partition; answer with `fetchAnswered` once the answer is written.
    case fetch(FetchRequest)
    /// Tell the viewer the current statuses of these users, then their changes (rule V1).
    case watch(Set<UserID>, Viewer)
    case unwatch(Set<UserID>)
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

    public init(identity: Identity, view: View, incarnation: Incarnation, cursor: Cursor?) {
        self.identity = identity
        self.view = view
        self.incarnation = incarnation
        self.cursor = cursor
    }
}

/// The partition's answer to an opening.
public struct SessionOpened: Hashable, Sendable {
    public var log: LogID
    public var lastSequence: DeviceSequence
    /// The cursor names an event of this log that this log does not hold (rule S6).
    public var logIsBehind: Bool
    public init(log: LogID, lastSequence: DeviceSequence, logIsBehind: Bool = false) {
        self.log = log
        self.lastSequence = lastSequence
        self.logIsBehind = logIsBehind
    }
}
