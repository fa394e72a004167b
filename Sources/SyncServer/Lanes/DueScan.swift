import EventStore
import FocusCore

/// How far a lane's scan of the read model for due users has got: a page of each partition at a time. It goes on behind
/// the last user of a page whatever became of them, so nobody who cannot be loaded, and no wrong `due_at`, keeps others
/// waiting.
struct DueScan {
    /// The scan takes up who was due when it began: so it ends, and begins again with those who stayed behind.
    private(set) var until = Timestamp(microseconds: .min)
    /// Where to go on, of partitions whose last page was full.
    private(set) var places: [Partition: DuePlace] = [:]

    /// More is known to wait.
    var isUnderWay: Bool { !places.isEmpty }

    /// Begins at the first due user of each partition, unless a scan is under way.
    mutating func begin(_ partitions: some Sequence<Partition>, at now: Timestamp) {
        guard !isUnderWay else { return }
        until = now
        for partition in partitions { places[partition] = .start }
    }

    /// - Parameter limit: what a full page has.
    mutating func advance(past page: [DueUser], limit: Int) {
        var counts: [Partition: Int] = [:]
        var next: [Partition: DuePlace] = [:]
        for found in page {
            counts[found.partition, default: 0] += 1
            next[found.partition] = DuePlace(found)
        }
        places = next.filter { counts[$0.key] == limit }
    }
}
