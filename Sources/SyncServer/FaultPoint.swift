import Glibc
import NIOConcurrencyHelpers

/// The steps of an append, from its arrival to the read model, at which a test may kill the server. At `answered` the
/// answers are made, and may not have left yet. Compiled into debug builds only.
enum FaultPoint: String, CaseIterable {
    case received, staged, committed, answered, projected

    #if FAULT_POINTS
        /// How many passes are left of the point at which the process is killed.
        private static let remaining = NIOLockedValueBox(requestedPass)

        private static var requestedPass: Int {
            if case .killed(_, let pass) = RequestedFault.ofEnvironment { pass } else { 0 }
        }

        /// Kills the process when this is the pass that the environment asks for.
        static func pass(_ point: FaultPoint) {
            guard case .killed(at: point, _) = RequestedFault.ofEnvironment else { return }
            let isLast = remaining.withLockedValue {
                $0 -= 1
                return $0 == 0
            }
            if isLast { kill(getpid(), SIGKILL) }
        }
    #else
        @inline(__always) static func pass(_ point: FaultPoint) {}
    #endif
}
