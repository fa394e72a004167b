import FocusCore

/// How far the rows of a partition follow the log: they have every event below `offset`, but for those of laggards.
public struct Checkpoint: Hashable, Sendable {
    public var offset: LogOffset
    /// The users whom the checkpoint has passed although their rows lack events, because they cannot be folded for now.
    /// Each with the first event that the rows lack.
    public var laggards: [UserID: LogOffset]

    public static let zero = Checkpoint(offset: .zero)

    public init(offset: LogOffset, laggards: [UserID: LogOffset] = [:]) {
        self.offset = offset
        self.laggards = laggards
    }
}
