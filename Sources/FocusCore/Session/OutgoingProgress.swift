/// Whether a device takes the rows that it is sent (rule F2).
struct OutgoingProgress: Hashable, Sendable {
    private var waiting = 0
    private var progressAt = MonotonicTime(milliseconds: 0)

    var isWaiting: Bool { waiting > 0 }

    mutating func queued(now: MonotonicTime) {
        if waiting == 0 { progressAt = now }
        waiting += 1
    }

    mutating func written(now: MonotonicTime) {
        waiting -= 1
        progressAt = now
    }

    /// When the device counts as slow if nothing more is written until then; nil while nothing waits.
    func stalls(after milliseconds: Int64) -> MonotonicTime? {
        waiting > 0 ? progressAt.adding(milliseconds: milliseconds) : nil
    }
}
