/// Lets one thread pause. Another thread can end the pause, and every later one.
// @unchecked: `isStopped` is used under `condition` only.
public final class StoppablePause: @unchecked Sendable {
    private let condition = MonotonicCondition()
    private var isStopped = false

    public init() {}

    /// Blocks for `seconds`, or until `stop` is called.
    /// - Returns: false once `stop` was called, then without waiting.
    public func sleep(seconds: Double) -> Bool {
        let end = Deadline.after(seconds: seconds)
        return condition.withLock {
            while !isStopped, condition.wait(until: end) {}
            return !isStopped
        }
    }

    /// Ends the pause under way and all later ones.
    public func stop() {
        condition.withLock {
            isStopped = true
            condition.broadcast()
        }
    }
}
