import Foundation
import NIOConcurrencyHelpers

/// What a test may break in a running server.
enum Fault: String, CaseIterable, Sendable {
    /// No NOTIFY leaves the server.
    case notifyLost
    /// Lanes get no answer when they look up the heads of their partitions.
    case headsUnanswered
}

/// The faults that are in force at the moment. Release builds, which lack FAULT_POINTS, never have any.
///
/// `FOCUSD_FAULT=notifyLost` puts that fault in force from the start.
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
