/// Whether a message would reach somebody, as whoever would send it asks (rule F6).
public struct ReachQuestion: Hashable, Sendable {
    /// The user whom the message would be for.
    public var user: UserID
    /// The app by which it would come.
    public var app: AppID
    /// The interruption level of its notification. That of a communication is active, whatever it was said to be.
    public let level: InterruptionLevel
    /// Whether the asker would write or call: then a Focus may let the message through for its sender's sake.
    public let isCommunication: Bool

    public init(user: UserID, app: AppID, level: InterruptionLevel = .active, isCommunication: Bool = false) {
        self.user = user
        self.app = app
        self.level = isCommunication ? .active : level
        self.isCommunication = isCommunication
    }
}

/// The answer to a `ReachQuestion` (rule F6).
public enum Reach: Hashable, Sendable {
    /// Nothing that the asker may know of keeps it back.
    case ringsNow
    /// It waits for a Focus to end, at most until this moment; nil: nobody knows until when. This is also said where
    /// nothing may be said, so nobody can tell which of the two it is.
    case waits(atMost: Timestamp?)
    /// It comes with the next summary, at this moment.
    case nextSummary(at: Timestamp)

    /// What is said where nothing may be said (rule F6).
    public static let untold = Reach.waits(atMost: nil)

    /// The moment that it names; nil when it names none.
    public var time: Timestamp? {
        switch self {
        case .ringsNow: nil
        case .waits(let time): time
        case .nextSummary(let time): time
        }
    }
}
