import Foundation

/// A named thread that can be waited for. Work that blocks on the database runs on such threads, because it must not
/// hold a thread of the cooperative pool.
final class LaneThread: Sendable {
    /// Who goes first when processors are short.
    enum Priority {
        /// Devices wait for it.
        case usual
        /// Nobody waits for it, or only who asked for much.
        case background

        /// By setpriority(2): 10 gets about a tenth of what 0 gets while both have work.
        fileprivate var niceness: Int32 {
            switch self {
            case .usual: 0
            case .background: 10
            }
        }
    }

    private let ended = DispatchSemaphore(value: 0)

    /// - Parameter name: at most 15 bytes.
    init(name: String, priority: Priority = .usual, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread { [ended] in
            // The system shows the name only of a thread that names itself.
            Thread.current.name = name
            // PRIO_PROCESS, and on Linux the calling thread alone. Every thread may become nicer, so this does not fail.
            if priority.niceness > 0 { _ = setpriority(0, 0, priority.niceness) }
            body()
            ended.signal()
        }
        thread.stackSize = 8 * 1024 * 1024
        thread.start()
    }

    /// Blocks until the thread's work is done. May be called by several threads, but not by the thread itself.
    func join() {
        ended.wait()
        ended.signal()
    }
}
