import FocusCore

/// How a rebuild works.
public struct RebuildOptions: Sendable {
    /// How many partitions are worked on at a time.
    public var parallel = 2
    /// Whether every user is folded once more, and compared with the rows that were written, before anything is shown.
    public var verifies = false
    /// Whether the generations that were shown before are kept for a rollback. The database holds this option, so that
    /// it still applies after an interruption; `RebuildReport.keepsOld` says what applied.
    public var keepsOld = false
    /// How much of the time each of the parallel workers may work, in percent, 1…100. The rest is left to appends. If
    /// it is below 100, workers work less while commits take longer than before the rebuild.
    public var maximumLoad = 40
    /// By how much the threads that fill and compare lower their priority: 0 … 19, as for nice(1). Threads that cut
    /// over do not lower it, because appends wait for them.
    public var niceness: Int32 = 0
    /// Whether PostgreSQL runs on this machine. If it does, the processes that serve the filling and comparing threads
    /// lower their priority too, and one processor is left to appends.
    public var isOnThisMachine = false
    /// The rules by which users are folded. Only tests use others than `current`.
    public var rules = FoldRules.current

    public init() {}
}
