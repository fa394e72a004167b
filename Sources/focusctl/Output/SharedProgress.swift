import Synchronization

/// A `ProgressDisplay` that several threads report to.
final class SharedProgress: Sendable {
    private let display: Mutex<ProgressDisplay>

    init(total: Int, of noun: String) { display = Mutex(ProgressDisplay(total: total, of: noun)) }

    func show(_ done: Int) { display.withLock { $0.show(done) } }
    func clear() { display.withLock { $0.clear() } }
}
