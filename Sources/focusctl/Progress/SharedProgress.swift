import NIOConcurrencyHelpers

/// A `ProgressDisplay` that several threads report to.
final class SharedProgress: Sendable {
    private let display: NIOLockedValueBox<ProgressDisplay>

    init(total: Int, of noun: String) { display = NIOLockedValueBox(ProgressDisplay(total: total, of: noun)) }

    func show(_ done: Int) { display.withLockedValue { $0.show(done) } }
    func clear() { display.withLockedValue { $0.clear() } }
}
