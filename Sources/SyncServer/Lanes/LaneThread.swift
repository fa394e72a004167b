import CScheduler
import Foundation

/// A named thread that can be waited for. Work that blocks on the database runs on such threads, because it must not
/// hold a thread of the cooperative pool.
final class LaneThread: Sendable {
    /// Who goes first when processors are short.
    enum Priority {
        /// All devices wait for it, for a moment each time: it goes before others as soon as it wakes.
        case prompt
        /// Some devices wait for it.
        case usual
        /// Nobody waits for it, or only who asked for much. Gets about a tenth of what others get while both have work,
        /// and is interrupted as soon as one of them wakes.
        case background

        /// Who wakes and has a shorter slice than whoever runs does not wait for the next tick, which may be 4 ms away
        /// (sched(7); since Linux 6.12, which knows slices of 0.1 to 100 ms). 0: what the system gives everybody.
        fileprivate var sliceNanoseconds: UInt64 {
            switch self {
            case .prompt: 300_000
            case .usual: 0
            case .background: 100_000_000
            }
        }
    }

    /// The niceness of the background (setpriority(2)).
    private static let niceness: Int32 = 10
    /// The number of SCHED_BATCH; that of SCHED_OTHER is 0 (sched(7)).
    private static let batchPolicy: UInt32 = 3
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameter name: at most 15 bytes.
    init(name: String, priority: Priority = .usual, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread { [ended] in
            // The system shows the name only of a thread that names itself.
            Thread.current.name = name
            Self.set(priority)
            body()
            ended.signal()
        }
        thread.stackSize = 8 * 1024 * 1024
        thread.start()
    }

    /// Sets the priority of the calling thread, which has that of the thread that started it. Every thread may become
    /// nicer, or have another slice; a sandbox that keeps threads from it leaves this one as it was.
    static func set(_ priority: Priority) {
        var attributes = scheduling_attributes()
        // Where an operator chose a policy for real time, that stays.
        guard scheduling_get(0, &attributes) == 0, [0, Self.batchPolicy].contains(attributes.policy) else { return }
        if priority == .background { attributes.nice = max(attributes.nice, Self.niceness) }
        attributes.runtime = priority.sliceNanoseconds
        _ = scheduling_set(0, &attributes)
    }

    /// Blocks until the thread's work is done. May be called by several threads, but not by the thread itself.
    func join() {
        ended.wait()
        ended.signal()
    }
}
