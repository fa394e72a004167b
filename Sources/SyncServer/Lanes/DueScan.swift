import EventStore
import FocusCore

/// How far a lane's scan of the read model for due users has got. It reads a page of each partition at a time, and goes
/// on behind the last user of a page whatever became of them. So a user who cannot be loaded, or whose `due_at` is
/// wrong, keeps nobody else waiting.
struct DueScan {
    /// The scan covers the users who were due at this time, when it began. So it comes to an end, and the next scan
    /// begins with the users who are still due.
    private(set) var until = Timestamp(microseconds: .min)
    /// Where the scan goes on, in each partition whose last page was full.
    private(set) var places: [Partition: DuePlace] = [:]

    /// Whether the scan has not come to its end.
    var isUnderWay: Bool { !places.isEmpty }

    /// Begins a scan at the first due user of each partition, unless one is under way.
    mutating func begin(_ partitions: some Sequence<Partition>, at now: Timestamp) {
        guard !isUnderWay else { return }
        until = now
        for partition in partitions { places[partition] = .start }
    }

    /// Moves the scan behind the users of a page of each partition.
    /// - Parameter limit: how many users of one partition make a full page.
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
