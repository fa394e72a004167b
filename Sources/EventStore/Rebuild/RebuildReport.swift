import FocusCore

/// The result of a rebuild or a rollback.
public struct RebuildReport: Sendable {
    /// The generation that is shown now.
    public var generation: Int32
    /// The generations that were shown before.
    public var previous: Set<Int32>
    /// Whether `previous` is to be kept for a rollback: the work was begun or resumed with that option.
    public var keepsOld = false
    /// Events folded; zero for a rollback.
    public var events: Int64
    /// Users who got `projection.rebuilt`, rows that those events name, and the events.
    public var usersChanged = 0
    public var rowsChanged = 0
    public var eventsAppended = 0
    /// How long each partition's appends had to wait, at most; ascending.
    public var locked: [Duration] = []

    /// The longest; zero when nothing was cut over by this run.
    public var longestWait: Duration { locked.last ?? .zero }
    /// 99 of 100 partitions' appends waited no longer.
    public var p99Wait: Duration {
        locked.isEmpty ? .zero : locked[min(locked.count - 1, (locked.count * 99 + 99) / 100 - 1)]
    }
}
