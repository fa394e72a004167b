/// How far through a user's rows, ordered by (version, key), a device has been sent (rules S1, S2).
public struct SyncPosition: Hashable, Sendable {
    public var version: Version
    /// The last key of `version` that was sent; nil when every row of `version` was sent.
    public var key: RowKey?
    /// A snapshot leaves out tombstones up to here: its receiver starts with nothing.
    public var skipTombstonesThrough: Version

    public init(version: Version, key: RowKey? = nil, skipTombstonesThrough: Version = .zero) {
        self.version = version
        self.key = key
        self.skipTombstonesThrough = skipTombstonesThrough
    }

    /// Where a snapshot of a user at `version` starts.
    public static func snapshot(of version: Version) -> Self {
        Self(version: .zero, skipTombstonesThrough: version)
    }
}

/// A part of a delta or snapshot.
public struct SyncPage: Hashable, Sendable {
    /// Ordered by (version, key).
    public var rows: [DeltaRow]
    public var next: SyncPosition
    /// True when nothing is left: `next` is then the state's version.
    public var isComplete: Bool

    public init(rows: [DeltaRow], next: SyncPosition, isComplete: Bool) {
        self.rows = rows
        self.next = next
        self.isComplete = isComplete
    }
}
