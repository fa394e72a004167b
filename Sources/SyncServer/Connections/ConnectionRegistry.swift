import FocusCore
import NIOConcurrencyHelpers

/// Every open connection, to end them all at shut-down, and to cap those that have not said who they are.
final class ConnectionRegistry: Sendable {
    private struct State {
        var open: [UInt64: Connection] = [:]
        var unauthenticated: Set<UInt64> = []
        var next: UInt64 = 1
        var whenEmpty: (@Sendable () -> Void)?
    }

    private struct Connection {
        var quota: OutgoingQuota
        var goAway: @Sendable (ErrorCode) -> Void
    }

    private let state = NIOLockedValueBox(State())
    private let unauthenticatedLimit: Int

    /// - Parameter unauthenticatedLimit: connections without an accepted token; each holds at most one small frame.
    init(unauthenticatedLimit: Int) { self.unauthenticatedLimit = unauthenticatedLimit }

    /// Rising, in the order in which connections were accepted: rule P8 goes by it. (With several event loops, which the
    /// server does not use by itself, two that come within a moment of each other may be numbered either way.)
    func makeID() -> UInt64 {
        state.withLockedValue { state in
            defer { state.next += 1 }
            return state.next
        }
    }

    /// False when too many have not authenticated: this one is to go.
    func add(_ id: UInt64, _ quota: OutgoingQuota, goAway: @escaping @Sendable (ErrorCode) -> Void) -> Bool {
        state.withLockedValue {
            $0.open[id] = Connection(quota: quota, goAway: goAway)
            $0.unauthenticated.insert(id)
            return $0.unauthenticated.count <= unauthenticatedLimit
        }
    }

    func authenticated(_ id: UInt64) { state.withLockedValue { _ = $0.unauthenticated.remove(id) } }

    func remove(_ id: UInt64) {
        let whenEmpty: (@Sendable () -> Void)? = state.withLockedValue {
            $0.unauthenticated.remove(id)
            $0.open[id] = nil
            return $0.open.isEmpty ? $0.whenEmpty.take() : nil
        }
        whenEmpty?()
    }

    var count: Int { state.withLockedValue { $0.open.count } }

    var queuedBytes: [Int] { state.withLockedValue { $0.open.values.map(\.quota.queuedBytes) } }

    /// Sends all away. `whenEmpty` is called when the last has gone.
    func goAway(_ code: ErrorCode, whenEmpty: @escaping @Sendable () -> Void) {
        let open = state.withLockedValue { state in
            if !state.open.isEmpty { state.whenEmpty = whenEmpty }
            return Array(state.open.values)
        }
        if open.isEmpty { whenEmpty() }
        for connection in open { connection.goAway(code) }
    }
}
