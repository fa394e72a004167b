import NIOConcurrencyHelpers

/// How often a server met others at the same partitions since it started.
public struct ContentionCounts: Hashable, Sendable {
    /// Batches for a partition that came too late: another server had appended to it first. What they carried is judged
    /// again.
    public var late = 0
    /// Statements that locked their partitions first, because others append to them.
    public var locked = 0
}

/// Counts for all lanes of a server, which add to it on their threads.
final class ContentionMeter: Sendable {
    private let counted = NIOLockedValueBox(ContentionCounts())

    var counts: ContentionCounts { counted.withLockedValue { $0 } }

    func count(late: Int = 0, locked: Int = 0) {
        counted.withLockedValue {
            $0.late += late
            $0.locked += locked
        }
    }
}
