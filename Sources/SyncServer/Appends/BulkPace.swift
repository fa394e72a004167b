import FocusCore

/// When bulk has to rest, so that the machine has time for users who ask for little (rule Q1).
///
/// Whoever asks for much uses processors and disk beside the lane too, and no count of work tells how short these are.
/// Statements tell: when the lane is busy for longer until one is answered than it lately was at the least, somebody waits
/// for something.
struct BulkPace {
    /// How long the least of recent statements is remembered.
    private static let windowMilliseconds: Int64 = 5_000

    private let configuration: LaneConfiguration
    /// The least that it took to answer one in the window under way, and in the one before it.
    private var (least, leastBefore) = (Int64.max, Int64.max)
    private var windowEnds = MonotonicTime(milliseconds: .min)
    /// Until when bulk rests at most: it goes on once in that time, however short everything is.
    private var mostRest = MonotonicTime(milliseconds: .min)
    /// No bulk is appended before.
    private(set) var restsUntil = MonotonicTime(milliseconds: .min)

    init(_ configuration: LaneConfiguration) { self.configuration = configuration }

    /// Records a statement of a time in which users who ask for little append.
    /// - Parameters:
    ///   - milliseconds: for how long the lane was busy without a pause, with other things too, until it was answered;
    ///     since the answers of the statement before it, if there was no pause between.
    ///   - hasBulk: whether it carried work of users who ask for much.
    mutating func ended(milliseconds: Int64, hasBulk: Bool, now: MonotonicTime) {
        if now >= windowEnds {
            (leastBefore, least) = (least, .max)
            windowEnds = now.adding(milliseconds: Self.windowMilliseconds)
        }
        least = min(least, milliseconds)
        if hasBulk { mostRest = now.adding(milliseconds: configuration.bulkRestMilliseconds) }
        let usual = max(configuration.statementMilliseconds, 2 * min(least, leastBefore))
        let excess = min(configuration.bulkRestMilliseconds, max(0, milliseconds - usual))
        let end = now.adding(milliseconds: excess * configuration.bulkRestPerMillisecond)
        restsUntil = min(mostRest, max(restsUntil, end))
    }
}
