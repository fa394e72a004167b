import FocusCore

/// The result of comparing what the read model shows of a user with the user's events, folded afresh.
public struct UserVerification: Hashable, Sendable {
    public var user: UserID
    public var partition: Partition
    /// The generation that was looked at.
    public var generation: Int32
    /// The version that the read model shows of the user.
    public var version: Version
    public var verdict: Verdict

    public enum Verdict: Hashable, Sendable {
        /// Every row is as the events make it; `rows` counts them, tombstones included.
        case equal(rows: Int)
        case different(UserDifference)
        /// The events can be folded up to this version only; `reason` says why.
        case unfoldable(Version, reason: String)
        /// Another version of the fold fills the generation (nil: it is not recorded), so nothing can be compared.
        case otherFold(Int32?)
    }
}
