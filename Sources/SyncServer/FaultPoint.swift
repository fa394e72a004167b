import Foundation

/// The steps of an append, from its arrival to the read model, at which a test may kill the server. At `answered` the
/// answers are made, and may not have left yet.
///
/// Compiled into debug builds only. `FOCUSD_FAULT=<point>:<n>` kills the process with SIGKILL at the n-th pass.
enum FaultPoint: String, CaseIterable {
    case received, staged, committed, answered, projected

    #if FAULT_POINTS
        private static let wanted: (point: FaultPoint, passes: Int)? = {
            let parts = (ProcessInfo.processInfo.environment["FOCUSD_FAULT"] ?? "").split(separator: ":")
            guard parts.count == 2, let point = FaultPoint(rawValue: String(parts[0])), let passes = Int(parts[1])
            else {
                return nil
            }
            return (point, passes)
        }()
        private static let remaining = Remaining(wanted?.passes ?? 0)

        /// Kills the process when this is the pass that `FOCUSD_FAULT` names.
        static func pass(_ point: FaultPoint) {
            guard let wanted, wanted.point == point, remaining.countDown() else { return }
            kill(getpid(), SIGKILL)
        }
    #else
        @inline(__always) static func pass(_ point: FaultPoint) {}
    #endif
}

#if FAULT_POINTS
    import NIOConcurrencyHelpers

    private final class Remaining: Sendable {
        private let count: NIOLockedValueBox<Int>
        init(_ count: Int) { self.count = NIOLockedValueBox(count) }
        /// - Returns: whether this was the last pass that was left.
        func countDown() -> Bool {
            count.withLockedValue {
                $0 -= 1
                return $0 == 0
            }
        }
    }
#endif
