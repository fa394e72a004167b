import FocusCore

/// The next arrivals: a binary heap by time, then by slot, so that equal times have one order.
struct ArrivalQueue: Sendable {
    struct Entry: Hashable, Sendable, Comparable {
        var time: Timestamp
        /// The index of what arrives: a user of the partition, or a partition of a merge.
        var slot: Int
        static func < (a: Self, b: Self) -> Bool { (a.time, a.slot) < (b.time, b.slot) }
    }

    private var heap: [Entry] = []

    mutating func add(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, heap[child] < heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeFirst() -> Entry? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            guard least != parent else { return first }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
