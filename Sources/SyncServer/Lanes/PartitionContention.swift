import FocusCore

/// Which partitions other servers append to at the same time. An append to such a partition that does not lock it
/// first comes too late again and again: by the time that it has folded what the others appended, they have appended
/// more.
struct PartitionContention {
    /// For how long a partition counts as contended after an append to it came too late. Zero: never.
    let milliseconds: Int64
    private var ends: [Partition: MonotonicTime] = [:]

    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Records that somebody else had appended to the partition first.
    mutating func cameTooLate(_ partition: Partition, at now: MonotonicTime) {
        guard milliseconds > 0 else { return }
        ends[partition] = now.adding(milliseconds: milliseconds)
    }

    /// The partitions to which nobody appends without a lock now.
    mutating func partitions(at now: MonotonicTime) -> Set<Partition> {
        // There are none most of the time, and every turn asks.
        guard !ends.isEmpty else { return [] }
        ends = ends.filter { $0.value > now }
        return Set(ends.keys)
    }
}
