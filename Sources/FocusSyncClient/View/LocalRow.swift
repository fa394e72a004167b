import FocusCore

/// A row as the device shows it. It is either as the server has confirmed it, or as the device predicts it from its own
/// events that no delta includes yet.
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
