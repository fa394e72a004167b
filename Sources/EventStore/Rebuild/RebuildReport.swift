import FocusCore

/// The result of a rebuild or a rollback.
public struct RebuildReport: Sendable {
    /// The generation that is shown now.
    public var generation: Int32
    /// The generations that were shown before.
    public var previous: Set<Int32>
    /// Whether `previous` is kept for a rollback: the option was set when the work was begun, or when it was resumed.
    public var keepsOld = false
    /// Events folded; zero for a rollback.
    public var events: Int64
    /// How many users got `projection.rebuilt`, how many rows those events name, and how many events there were.
    public var usersChanged = 0
    public var rowsChanged = 0
    public var eventsAppended = 0
    /// For each partition, the longest that an append can have waited for its cut-over; ascending.
    public var locked: [Duration] = []

    /// The longest of these times; zero when this run has cut nothing over.
    public var longestWait: Duration { locked.last ?? .zero }
    /// The time that 99 of 100 partitions did not exceed.
    public var p99Wait: Duration {
        locked.isEmpty ? .zero : locked[min(locked.count - 1, (locked.count * 99 + 99) / 100 - 1)]
    }
}
