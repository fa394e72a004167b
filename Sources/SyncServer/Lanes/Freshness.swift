import FocusCore
import NIOConcurrencyHelpers

/// When each lane last confirmed the heads of its partitions (`PartitionTails.confirmedAt`), for all lanes of a server.
///
/// Before a session gets its own user's rows, its own lane must be fresh. Before it gets the status of a user of
/// another lane, all lanes must be: the event that revoked the session's device may be in any of them (rule A3).
final class Freshness: Sendable {
    private let confirmed: NIOLockedValueBox<[MonotonicTime]>

    init(lanes: Int) {
        confirmed = NIOLockedValueBox(Array(repeating: MonotonicTime(milliseconds: .min / 2), count: lanes))
    }

    func confirm(lane: Int, at time: MonotonicTime) { confirmed.withLockedValue { $0[lane] = time } }

    /// The confirmation of the lane whose last one is oldest.
    var oldest: MonotonicTime { confirmed.withLockedValue { $0.min() } ?? MonotonicTime(milliseconds: .min / 2) }
}
