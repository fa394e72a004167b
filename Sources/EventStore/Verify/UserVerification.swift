import FocusCore

/// What came of comparing what the read model shows of a user with the user's events, folded afresh.
public struct UserVerification: Hashable, Sendable {
    public var user: UserID
    public var partition: Partition
    /// The generation that was looked at.
    public var generation: Int32
    /// The version that the read model shows of the user.
    public var version: Version
    public var verdict: Verdict

    public enum Verdict: Hashable, Sendable {
        /// So many rows, all as the events make them.
        case equal(rows: Int)
        case different(UserDifference)
        /// The events cannot be folded: up to this version they could, and why not further.
        case unfoldable(Version, reason: String)
        /// Another version of the fold fills the generation (nil: nobody knows which), so nothing can be compared.
        case otherFold(Int32?)
    }
}

/// Where the read model and the events of one user part.
public struct UserDifference: Hashable, Sendable {
    /// The version of the user itself is wrong.
    public var version: VersionDifference?
    /// In order of their keys, so many as the verifier keeps.
    public var rows: [RowDifference]
    /// How many rows differ in all.
    public var rowCount: Int
    /// Rows whose app is none, so that no program reads them.
    public var strangers: [StrangeRow]

    var isEmpty: Bool { version == nil && rowCount == 0 && strangers.isEmpty }
}

/// What is wrong with the version that the read model shows of a user.
public enum VersionDifference: Hashable, Sendable {
    /// The checkpoint is past this event, which the user's rows do not show.
    case lacks(Version)
    /// The log has no event beyond this one. The rows are compared with what there is.
    case exceedsLog(last: Version)
}

/// A row with an app that is none, as its table has it.
public struct StrangeRow: Hashable, Sendable {
    public var collection: RowCollection
    public var app: String
    public var key: String
}
