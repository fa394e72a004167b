/// Pauses of one thread that another can end for good.
// @unchecked: `isStopped` is used under `condition` only.
public final class StoppablePause: @unchecked Sendable {
    private let condition = MonotonicCondition()
    private var isStopped = false

    public init() {}

    /// Blocks for this long.
    /// - Returns: false, and at once, when stopped.
    public func sleep(seconds: Double) -> Bool {
        let end = Deadline.after(seconds: seconds)
        return condition.withLock {
            while !isStopped, condition.wait(until: end) {}
            return !isStopped
        }
    }

    public func stop() {
        condition.withLock {
            isStopped = true
            condition.broadcast()
        }
    }
}
