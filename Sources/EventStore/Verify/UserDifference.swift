import FocusCore

/// Where the read model and the events of one user part.
public struct UserDifference: Hashable, Sendable {
    /// The version of the user itself is wrong.
    public var version: VersionDifference?
    /// The rows that differ, in order of their keys, at most as many as the verifier keeps.
    public var rows: [RowDifference]
    /// How many rows differ in all.
    public var rowCount: Int
    /// Rows whose app is not a bundle identifier, so that no program reads them.
    public var unknownRows: [UnknownRow]
    /// Whether the digest sums that stand beside the rows are not those of the rows that the events make: devices are
    /// told wrong digests by them, and get their rows afresh (rule S9).
    public var digestsDiffer = false

    var isEmpty: Bool { version == nil && rowCount == 0 && unknownRows.isEmpty && !digestsDiffer }
}

/// What is wrong with the version that the read model shows of a user.
public enum VersionDifference: Hashable, Sendable {
    /// The checkpoint is past this event, which the user's rows do not show.
    case lacks(Version)
    /// The log has no event beyond `last`, and the read model shows a later version. The rows are compared with the
    /// fold up to `last`.
    case exceedsLog(last: Version)
}

/// A row whose app is not a bundle identifier, with the texts that its table has.
public struct UnknownRow: Hashable, Sendable {
    public var collection: RowCollection
    public var app: String
    public var key: String
}
