import FocusCore
import SyncServer

/// The pending actions in the order of their times. Among actions at the same moment the lower rank goes first,
/// regardless of when each was added, so that nothing depends on the order in which a server walks through its tables.
struct Agenda {
    private struct Entry {
        var time: Int64
        var rank: Int
        var number: UInt64
        var action: () -> Void

        static func < (a: Entry, b: Entry) -> Bool { (a.time, a.rank, a.number) < (b.time, b.rank, b.number) }
    }

    private var heap: [Entry] = []
    private var last: UInt64 = 0

    var next: Int64? { heap.first?.time }

    mutating func add(at time: Int64, rank: Int, _ action: @escaping () -> Void) {
        last += 1
        heap.append(Entry(time: time, rank: rank, number: last, action: action))
        var child = heap.count - 1
        while child > 0, heap[child] < heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func take() -> (time: Int64, action: () -> Void)? {
        guard let first = heap.first else { return nil }
        let end = heap.removeLast()
        guard !heap.isEmpty else { return (first.time, first.action) }
        heap[0] = end
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            guard least != parent else { return (first.time, first.action) }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}

/// Microseconds since the simulation began, and the clocks that are derived from them.
// @unchecked: a simulation runs on a single thread; only `ServerClock` demands Sendable closures.
final class SimulatedClock: @unchecked Sendable {
    static let beginning: Int64 = 1_800_000_000_000_000
    var now: Int64 = 0
    private var servers: UInt64 = 0

    var monotonic: MonotonicTime { MonotonicTime(milliseconds: now / 1_000) }
    func wall(ahead offset: Int64 = 0) -> Timestamp { Timestamp(microseconds: Self.beginning + now + offset) }

    /// - Parameter offset: the wall clock's error in microseconds; called at each reading, on the simulation's thread.
    func server(ahead offset: @escaping () -> Int64) -> ServerClock {
        nonisolated(unsafe) let offset = offset
        servers += 1
        nonisolated(unsafe) var dice = SeededGenerator(seed: servers)
        return ServerClock(
            monotonic: { self.monotonic }, wall: { self.wall(ahead: offset()) },
            step: { Int64(dice.number(1...Int(ServerClock.greatestStep))) },
            tolerance: ServerClock.usualTolerance)
    }
}
