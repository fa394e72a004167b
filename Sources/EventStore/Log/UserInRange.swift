import FocusCore

/// A user with events within a range of offsets.
public struct UserInRange: Hashable, Sendable {
    public var user: UserID
    /// Its greatest version in the range.
    public var version: Version
    /// Where the user's first event in the range stands.
    public var firstOffset: LogOffset
    /// Where the last one stands.
    public var lastOffset: LogOffset
    /// Whether one of the events revokes a device of the user (rule A3).
    public var revokes: Bool

    public init(
        user: UserID, version: Version, firstOffset: LogOffset, lastOffset: LogOffset, revokes: Bool = false
    ) {
        self.user = user
        self.version = version
        self.firstOffset = firstOffset
        self.lastOffset = lastOffset
        self.revokes = revokes
    }
}
