import FocusCore

/// How far a rebuild is: `done` of `total`.
public struct RebuildProgress: Hashable, Sendable {
    /// The stages in their order.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// Counts events.
        case filling
        /// Counts users.
        case verifying, comparing
        /// Counts partitions.
        case cuttingOver = "cutting over"
    }

    public var stage: Stage
    public var done: Int
    /// An estimate, because the log grows.
    public var total: Int
}
