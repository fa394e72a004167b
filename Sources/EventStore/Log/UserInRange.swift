import FocusCore

/// A user with events within a range of offsets.
public struct UserInRange: Hashable, Sendable {
    public var user: UserID
    /// Its greatest version in the range.
    public var version: Version
    /// Where that event stands.
    public var lastOffset: LogOffset
}
