import Foundation

/// A named thread that can be waited for: lanes block on the database, which the cooperative pool must not.
final class LaneThread: Sendable {
    private let ended = DispatchSemaphore(value: 0)

    init(name: String, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread { [ended] in
            body()
            ended.signal()
        }
        thread.name = name
        thread.stackSize = 8 * 1024 * 1024
        thread.start()
    }

    /// Blocks until the thread's work is done. Never from the thread itself.
    func join() {
        ended.wait()
        ended.signal()
    }
}
