import Waits

/// The pool's waiting requests: first in, first out, bounded.
// @unchecked: `waiting` and `isClosed` are used under `condition` only.
final class PoolQueue: @unchecked Sendable {
    private let condition = MonotonicCondition()
    /// Ended by `close` only, so that new work does not wake those who wait to connect.
    private let closing = StoppablePause()
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
            isClosed = true
            condition.broadcast()
        }
        closing.stop()
    }

    /// Waits between two attempts to connect; ends early when the queue closes.
    /// - Returns: false when it is closed.
    func pause(_ duration: Duration) -> Bool {
        closing.sleep(seconds: duration / .seconds(1))
    }
}
