import DequeModule
import EventStore
import FocusCore

/// Watches how far the read model is behind each partition of a lane. A look at all of them costs a microsecond, and
/// more than ten in a second tell nothing new.
struct ProjectionWatch {
    /// The head of a partition as it was at a time.
    private struct Mark {
        var head: LogOffset
        var at: MonotonicTime
    }

    private struct Watched {
        var checkpoint: LogOffset
        /// When the checkpoint last moved, or nothing was past it.
        var movedAt: MonotonicTime
        /// Heads past the checkpoint, oldest first.
        var marks: Deque<Mark> = []
    }

    /// Marks of a partition. When there are more, every second one goes: the lag is then known a little less exactly.
    private static let markLimit = 512
    static let milliseconds: Int64 = 100

    private var partitions: [Partition: Watched] = [:]
    private var nextLook = MonotonicTime(milliseconds: .min)
    /// Events that the checkpoints have passed since the first look.
    private(set) var passedEvents: Int64 = 0

    /// - Parameters:
    ///   - heads: gives the partitions' heads as the lane knows them.
    ///   - checkpoint: gives a partition's checkpoint.
    mutating func look(
        now: MonotonicTime, heads: () -> [Partition: PartitionHead], checkpoint: (Partition) -> LogOffset
    ) {
        guard now >= nextLook else { return }
        nextLook = now.adding(milliseconds: Self.milliseconds)
        for head in heads().values { look(now, head, checkpoint(head.partition)) }
    }

    private mutating func look(_ now: MonotonicTime, _ head: PartitionHead, _ checkpoint: LogOffset) {
        var watched = partitions.removeValue(forKey: head.partition) ?? Watched(checkpoint: checkpoint, movedAt: now)
        if checkpoint > watched.checkpoint {
            passedEvents += checkpoint.rawValue - watched.checkpoint.rawValue
            watched.movedAt = now
        }
        watched.checkpoint = checkpoint
        while let first = watched.marks.first, first.head <= checkpoint { watched.marks.removeFirst() }
        if head.nextOffset <= checkpoint {
            watched.movedAt = now
        } else if head.nextOffset > watched.marks.last?.head ?? checkpoint {
            watched.marks.append(Mark(head: head.nextOffset, at: now))
            if watched.marks.count > Self.markLimit {
                watched.marks = Deque(watched.marks.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element))
            }
        }
        partitions[head.partition] = watched
    }

    /// How many heads are remembered.
    var markCount: Int { partitions.values.reduce(0) { $0 + $1.marks.count } }

    /// By the last look.
    var lag: ProjectionLag {
        var lag = ProjectionLag()
        for watched in partitions.values {
            guard let first = watched.marks.first, let last = watched.marks.last else { continue }
            lag.events += last.head.rawValue - watched.checkpoint.rawValue
            lag.lacksSince = min(lag.lacksSince ?? first.at, first.at)
            lag.standsSince = min(lag.standsSince ?? watched.movedAt, watched.movedAt)
        }
        return lag
    }
}
