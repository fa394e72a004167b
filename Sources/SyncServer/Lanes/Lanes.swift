import EventStore
import FocusCore

/// The lanes of a server. Each partition belongs to one of them for good.
struct Lanes: Sendable {
    let lanes: [Lane]
    /// The number of partitions of the log.
    let partitions: Int32

    /// The lane that owns the user's partition.
    func lane(of user: UserID) -> Lane { lanes[index(of: Partition.of(user: user, count: partitions))] }

    /// Makes the lanes of these partitions look up the heads: another server may have appended there.
    func headsMayHaveMoved(_ heard: HintListener.Heard) {
        for (index, lane) in lanes.enumerated() {
            switch heard {
            case .nothing: break
            case .any: lane.post(.headsMayHaveMoved)
            case .partitions(let moved):
                if moved.contains(where: { self.index(of: $0) == index }) { lane.post(.headsMayHaveMoved) }
            }
        }
    }

    /// The partitions of the lane at `index`.
    func partitions(of index: Int) -> [Partition] {
        (0..<partitions).map(Partition.init).filter { self.index(of: $0) == index }
    }

    /// The one place that says which lane owns a partition.
    private func index(of partition: Partition) -> Int { Int(partition.rawValue) % lanes.count }
}
