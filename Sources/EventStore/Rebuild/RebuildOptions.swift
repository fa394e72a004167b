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
