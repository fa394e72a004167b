import FocusCore
import NIOConcurrencyHelpers

/// When each lane last confirmed where its partitions' heads are. A session's own rows ask its own lane; what one lane
/// sends to a session of another asks all: a revocation may be in any of them.
final class Freshness: Sendable {
    private let confirmed: NIOLockedValueBox<[MonotonicTime]>

    init(lanes: Int) {
        confirmed = NIOLockedValueBox(Array(repeating: MonotonicTime(milliseconds: .min / 2), count: lanes))
    }

    func confirm(lane: Int, at time: MonotonicTime) { confirmed.withLockedValue { $0[lane] = time } }

    /// The lane that has been silent longest.
    var oldest: MonotonicTime { confirmed.withLockedValue { $0.min() } ?? MonotonicTime(milliseconds: .min / 2) }
}
