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

    public init(user: UserID, version: Version, firstOffset: LogOffset, lastOffset: LogOffset) {
        self.user = user
        self.version = version
        self.firstOffset = firstOffset
        self.lastOffset = lastOffset
    }
}
