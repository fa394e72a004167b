/// A list in an answer: bounded, and it says what was left out.
public struct AdminList<Entry: Encodable & Sendable>: Encodable, Sendable {
    public let items: [Entry]
    /// How many there are.
    public let total: Int
    /// Whether `items` has fewer.
    public let truncated: Bool

    /// - Parameters:
    ///   - items: those that are told, in their order.
    ///   - total: how many there are.
    public init(_ items: [Entry], total: Int) {
        (self.items, self.total) = (items, total)
        truncated = items.count < total
    }
}
