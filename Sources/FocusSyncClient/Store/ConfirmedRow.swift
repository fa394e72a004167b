import FocusCore

/// A row as the server has confirmed it.
public struct ConfirmedRow: Hashable, Sendable {
    public var key: RowKey
    /// The user's version at which the row last changed.
    public var version: Version
    /// The row's message (see `RowMessage`), as it came.
    public var value: [UInt8]

    public init(key: RowKey, version: Version, value: [UInt8]) {
        self.key = key
        self.version = version
        self.value = value
    }
}

/// What a delta or snapshot did to a row.
public struct RowChange: Hashable, Sendable {
    public var key: RowKey
    /// The user's version at which the row changed.
    public var version: Version
    /// The row's message before; nil: there was no such row.
    public var before: [UInt8]?
    /// The row's message now; nil: the row was removed.
    public var after: [UInt8]?

    public init(key: RowKey, version: Version, before: [UInt8]?, after: [UInt8]?) {
        self.key = key
        self.version = version
        self.before = before
        self.after = after
    }
}
