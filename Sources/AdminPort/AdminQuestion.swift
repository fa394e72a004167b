/// What an operator may ask of a server. Each is a path below `/v1`, and none changes anything.
public enum AdminQuestion: String, CaseIterable, Sendable {
    /// What runs, and how it does.
    case server
    /// Who is connected, those first who connected last.
    case sessions
    /// Who is connected, those first for whom most waits.
    case slowestSessions = "sessions/slowest"
    /// The users in memory, those first who take most.
    case largestUsers = "users/largest"
    /// The users whose events cannot be folded.
    case quarantinedUsers = "users/quarantined"
    /// Where each partition of the log ends, and how far the read model is.
    case partitions
}

/// A question was asked that cannot be answered at the moment.
public struct AdminUnavailable: Error, Sendable {
    /// Why, for people.
    public var reason: String

    public init(_ reason: String) { self.reason = reason }
}
