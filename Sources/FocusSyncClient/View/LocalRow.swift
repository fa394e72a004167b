import FocusCore

/// A row as the device shows it: confirmed, or as its own events that are still on their way will make it.
public struct LocalRow: Hashable, Sendable {
    public var key: RowKey
    /// The row's message (see `RowMessage`); nil: it is gone.
    public var value: [UInt8]?
    /// The server has not confirmed it yet, and may decide otherwise.
    public var isPredicted: Bool

    public init(key: RowKey, value: [UInt8]?, isPredicted: Bool = false) {
        self.key = key
        self.value = value
        self.isPredicted = isPredicted
    }
}
