import FocusCore

extension Timestamp {
    /// The earliest moment that a `timestamptz` can hold: 4714-11-24 BC. A device may send any 64 bits, and one event
    /// that the log cannot hold must not fail the statement that carries those of others. The latest moment of 64 bits
    /// fits.
    public static let earliestStored = Timestamp(microseconds: -210_866_803_200_000_000)

    /// The moment as the log keeps it. What is folded must be this one, so that a replay folds the same.
    public var stored: Timestamp { max(self, .earliestStored) }
}
