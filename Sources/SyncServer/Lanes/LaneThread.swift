import Foundation

/// A named thread that can be waited for. Work that blocks on the database runs on such threads, because it must not
/// hold a thread of the cooperative pool.
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

    /// Blocks until the thread's work is done. May be called by several threads, but not by the thread itself.
    func join() {
        ended.wait()
        ended.signal()
    }
}
