/// Whether a device reads the rows that it is sent (rules L2, L4).
struct OutgoingProgress: Hashable, Sendable {
    /// Rows that wait for this long wait for the device: the system accepts at once what it has room for.
    private static let heldMilliseconds: Int64 = 1_000

    private var waiting = 0
    private var waitsSince = MonotonicTime(milliseconds: 0)
    private var progressAt = MonotonicTime(milliseconds: 0)

    var isWaiting: Bool { waiting > 0 }

    mutating func queued(now: MonotonicTime) {
        if waiting == 0 { (progressAt, waitsSince) = (now, now) }
        waiting += 1
    }

    /// - Returns: whether the device itself read something: true when the system had no room until now.
    mutating func written(now: MonotonicTime) -> Bool {
        waiting -= 1
        progressAt = now
        return now - waitsSince >= Self.heldMilliseconds
    }

    /// When the device counts as slow if nothing more is written until then; nil while nothing waits.
    func stalls(after milliseconds: Int64) -> MonotonicTime? {
        waiting > 0 ? progressAt.adding(milliseconds: milliseconds) : nil
    }
}
