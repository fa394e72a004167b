/// One row of a user's state, as it is kept, stored and sent.
public struct Row: Hashable, Sendable {
    /// The event at which what devices see of this row last changed.
    public var version: Version
    /// True for a tombstone: the row is gone, and devices that were away must hear of it.
    public var isDeleted: Bool
    /// The canonical protobuf encoding of what devices see; empty for tombstones and internal collections.
    public var value: [UInt8]
    /// What the fold must remember beside it (stamps, sequences); never sent. A change here alone does not move
    /// `version`.
    public var memo: [UInt8]

    public init(version: Version, isDeleted: Bool = false, value: [UInt8], memo: [UInt8] = []) {
        self.version = version
        self.isDeleted = isDeleted
        self.value = value
        self.memo = memo
    }
}
