import FocusCore

/// Who answers for what a connection takes: all of a user's connections count together.
enum ConnectionOwner: Hashable, Sendable {
    case user(UserID)
    /// A connection that has shown no token yet.
    case connection(UInt64)
}
