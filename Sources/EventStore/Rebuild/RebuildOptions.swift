import FocusCore

/// How a rebuild works.
public struct RebuildOptions: Sendable {
    /// How many partitions are worked on at a time.
    public var parallel = 2
    /// Whether every user is folded once more and compared before anything is shown.
    public var verifies = false
    /// Whether the generations shown before are to be kept. It is stored, and `RebuildReport.keepsOld` says it at the
    /// end, also after an interruption.
    public var keepsOld = false
    /// Percent of the time that each of the parallel workers is at work at most, 1…100: the rest is the appends'. Below
    /// 100 it is less while commits take longer than before the rebuild.
    public var maximumLoad = 40
    /// How far the threads that fill and compare lower their priority: 0 … 19, as nice(1) says. Those that cut over do
    /// not, because appends wait for them.
    public var niceness: Int32 = 0
    /// Whether PostgreSQL runs on this machine: its processes that fill and compare then lower their priority as our
    /// threads do, and one processor is left to appends.
    public var isOnThisMachine = false
    /// The rules by which users are folded. Others than `current` are for tests.
    public var rules = FoldRules.current

    public init() {}
}

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
