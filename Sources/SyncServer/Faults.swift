import Foundation
import NIOConcurrencyHelpers

/// What a test may break in a running server.
enum Fault: String, CaseIterable, Sendable {
    /// No NOTIFY leaves the server.
    case notifyLost
    /// The database does not say where the partitions' heads are.
    case headsUnanswered
}

/// Which faults there are at the moment. Without FAULT_POINTS, in release builds, never any.
/// `FOCUSD_FAULT=notifyLost` breaks it from the start.
final class Faults: Sendable {
    #if FAULT_POINTS
        private let broken: NIOLockedValueBox<Set<Fault>>

        init() {
            let wanted = ProcessInfo.processInfo.environment["FOCUSD_FAULT"].flatMap(Fault.init)
            broken = NIOLockedValueBox(wanted.map { [$0] } ?? [])
        }

        func has(_ fault: Fault) -> Bool { broken.withLockedValue { $0.contains(fault) } }

        func set(_ fault: Fault, _ isBroken: Bool) {
            broken.withLockedValue { if isBroken { $0.insert(fault) } else { $0.remove(fault) } }
        }
    #else
        @inline(__always) func has(_ fault: Fault) -> Bool { false }
    #endif
}
