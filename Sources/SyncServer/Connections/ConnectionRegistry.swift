import FocusCore
import NIOConcurrencyHelpers

/// What all connections are told.
enum ConnectionOrder: Sendable {
    /// The device is to go.
    case goAway(ErrorCode)
    /// The keys of tokens are others now: a session whose token was signed with one that is gone ends.
    case reviewKey
}

/// All open connections: ends them at shut-down, and bounds how many of them have not authenticated.
final class ConnectionRegistry: Sendable {
    private struct State {
        var open: [UInt64: Connection] = [:]
        var unauthenticated: Set<UInt64> = []
        var next: UInt64 = 1
        var whenEmpty: (@Sendable () -> Void)?
    }

    private struct Connection {
        var quota: OutgoingQuota
        var order: @Sendable (ConnectionOrder) -> Void
    }

    private let state = NIOLockedValueBox(State())
    private let unauthenticatedLimit: Int

    /// - Parameter unauthenticatedLimit: how many connections may have no accepted token. Each holds at most one frame
    ///   of the size that is allowed before Hello (rule W1).
    init(unauthenticatedLimit: Int) { self.unauthenticatedLimit = unauthenticatedLimit }

    /// An id for a new connection. Ids rise in the order in which connections were accepted, and rule P8 goes by them.
    /// With several event loops, which is not the default, two connections of the same moment may get theirs either
    /// way.
    func makeID() -> UInt64 {
        state.withLockedValue { state in
            defer { state.next += 1 }
            return state.next
        }
    }

    /// Registers the connection until `remove`.
    /// - Parameter order: tells the connection what to do; may be called on any thread.
    /// - Returns: false when too many connections have not authenticated, so that this one is to be sent away.
    func add(_ id: UInt64, _ quota: OutgoingQuota, order: @escaping @Sendable (ConnectionOrder) -> Void) -> Bool {
        state.withLockedValue {
            $0.open[id] = Connection(quota: quota, order: order)
            $0.unauthenticated.insert(id)
            return $0.unauthenticated.count <= unauthenticatedLimit
        }
    }

    /// Records that the connection's token was accepted.
    func authenticated(_ id: UInt64) { state.withLockedValue { _ = $0.unauthenticated.remove(id) } }

    /// Records that the connection is closed.
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

    /// Sends all connections away.
    /// - Parameter whenEmpty: called once no connection is open; at once when there is none.
    func goAway(_ code: ErrorCode, whenEmpty: @escaping @Sendable () -> Void) {
        let open = state.withLockedValue { state in
            if !state.open.isEmpty { state.whenEmpty = whenEmpty }
            return Array(state.open.values)
        }
        if open.isEmpty { whenEmpty() }
        for connection in open { connection.order(.goAway(code)) }
    }

    /// Has every session look whether its token's key is still one of the server's.
    func reviewKeys() {
        for connection in state.withLockedValue({ Array($0.open.values) }) { connection.order(.reviewKey) }
    }
}
