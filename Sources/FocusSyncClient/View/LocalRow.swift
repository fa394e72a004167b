import FocusCore

/// A row as the device shows it: as the server confirmed it, or as the device's own events will make it that no delta
/// has brought yet.
public struct LocalRow: Hashable, Sendable {
    public var key: RowKey
    /// The row's message (see `RowMessage`); nil: the row was removed.
    public var value: [UInt8]?
    /// Whether the server has not confirmed the row yet, and may decide otherwise.
    public var isPredicted: Bool

    public init(key: RowKey, value: [UInt8]?, isPredicted: Bool = false) {
        self.key = key
        self.value = value
        self.isPredicted = isPredicted
    }
}
