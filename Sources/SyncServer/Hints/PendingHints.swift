import FocusCore
import Waits

/// The partitions with commits that other servers were not told of yet. Bounded by the number of partitions.
// @unchecked: everything mutable is used under `condition` only.
final class PendingHints: @unchecked Sendable {
    private let condition = MonotonicCondition()
    private var partitions: Set<Partition> = []
    private var isStopped = false

    func add(_ more: some Sequence<Partition>) {
        condition.lock()
        let wakes = partitions.isEmpty
        partitions.formUnion(more)
        condition.unlock()
        if wakes { condition.signal() }
    }

    /// Ends `dequeue` for good.
    func stop() {
        condition.lock()
        isStopped = true
        condition.unlock()
        condition.broadcast()
    }

    /// Removes and returns all partitions that wait, as soon as there are any, but not before `moment`: commits until
    /// then are told together. Nil after `stop`.
    func dequeue(notBefore moment: Deadline) -> Set<Partition>? {
        condition.lock()
        defer { condition.unlock() }
        while !isStopped, condition.wait(until: moment) {}
        while !isStopped, partitions.isEmpty { condition.wait() }
        if isStopped { return nil }
        defer { partitions = [] }
        return partitions
    }
}
