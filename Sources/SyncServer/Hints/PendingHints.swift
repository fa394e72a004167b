import FocusCore
import Waits

/// Partitions that were appended to and of which nobody was told yet. At most all of them wait, however long.
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

    func stop() {
        condition.lock()
        isStopped = true
        condition.unlock()
        condition.broadcast()
    }

    /// All that wait, as soon as there are any but not before `moment`: what comes until then is told with them. Nil:
    /// stopped.
    func take(notBefore moment: Deadline) -> Set<Partition>? {
        condition.lock()
        defer { condition.unlock() }
        while !isStopped, condition.wait(until: moment) {}
        while !isStopped, partitions.isEmpty { condition.wait() }
        if isStopped { return nil }
        defer { partitions = [] }
        return partitions
    }
}
