import Foundation

/// The pool's waiting requests: first in, first out, bounded.
// @unchecked: `waiting` is used under `condition` only; `isClosed` is written under both locks, read under either.
final class PoolQueue: @unchecked Sendable {
    private let condition = NSCondition()
    /// Signalled by `close` only, so that new work does not wake those who wait to connect.
    private let closing = NSCondition()
    private let limit: Int
    private var waiting: [any PoolWork] = []
    private var isClosed = false

    init(limit: Int) { self.limit = limit }

    var count: Int { condition.withLock { waiting.count } }

    /// False when the queue is full or closed.
    func push(_ job: any PoolWork) -> Bool {
        condition.withLock {
            guard !isClosed, waiting.count < limit else { return false }
            waiting.append(job)
            condition.signal()
            return true
        }
    }

    /// Blocks for the next request; nil when the queue is closed and empty.
    func pop() -> (any PoolWork)? {
        condition.withLock {
            while waiting.isEmpty {
                if isClosed { return nil }
                condition.wait()
            }
            // The queue is short (≤ `limit`): shifting it costs less than what follows.
            return waiting.removeFirst()
        }
    }

    func remove(_ job: any PoolWork) {
        condition.withLock { waiting.removeAll { $0 === job } }
    }

    func close() {
        condition.withLock {
            closing.withLock {
                isClosed = true
                closing.broadcast()
            }
            condition.broadcast()
        }
    }

    /// Waits between two attempts to connect; ends early when the queue closes.
    /// - Returns: false when it is closed.
    func pause(_ duration: Duration) -> Bool {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
        let end = Date(timeIntervalSinceNow: seconds)
        return closing.withLock {
            while !isClosed, closing.wait(until: end) {}
            return !isClosed
        }
    }
}
