import NIOConcurrencyHelpers

/// What a test may break in a running server.
enum Fault: String, CaseIterable, Sendable {
    /// No NOTIFY leaves the server.
    case notifyLost
    /// Lanes get no answer when they look up the heads of their partitions.
    case headsUnanswered
}

/// The faults that are in force at the moment. Release builds, which lack FAULT_POINTS, never have any.
final class Faults: Sendable {
    #if FAULT_POINTS
        private let broken: NIOLockedValueBox<Set<Fault>>

        /// Begins with the fault that the environment asks for.
        init() {
            guard case .inForce(let fault) = RequestedFault.ofEnvironment else {
                broken = NIOLockedValueBox([])
                return
            }
            broken = NIOLockedValueBox([fault])
        }

        func has(_ fault: Fault) -> Bool { broken.withLockedValue { $0.contains(fault) } }

        func set(_ fault: Fault, _ isBroken: Bool) {
            broken.withLockedValue { if isBroken { $0.insert(fault) } else { $0.remove(fault) } }
        }
    #else
        @inline(__always) func has(_ fault: Fault) -> Bool { false }
    #endif
}
