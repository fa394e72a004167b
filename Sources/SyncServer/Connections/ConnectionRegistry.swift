import FocusCore
import NIOConcurrencyHelpers

/// What all connections are told.
enum ConnectionOrder: Sendable {
    /// The device is to go, with so many others.
    case goAway(ErrorCode, together: Int)
    /// The keys of tokens are others now: a session whose token was signed with one that is gone ends.
    case reviewKey
}

/// All open connections: ends them at shut-down, and bounds how many there are (rule Q2).
final class ConnectionRegistry: Sendable {
    private struct State {
        var open: [UInt64: Connection] = [:]
        var unauthenticated = 0
        var ofAddress: [ClientAddress: Count] = [:]
        var next: UInt64 = 1
        /// What those who sent all connections away wait for.
        var whenEmpty: [@Sendable () -> Void] = []
        /// Why all connections are sent away, those too that come later; nil: they are not.
        var ending: ErrorCode?

        /// Counts the connection with those of its address; removes what counts nothing.
        mutating func count(_ connection: Connection, by step: Int) {
            if !connection.isAuthenticated { unauthenticated += step }
            guard let address = connection.address else { return }
            var count = ofAddress[address] ?? Count()
            count.all += step
            if !connection.isAuthenticated { count.unauthenticated += step }
            ofAddress[address] = count.all > 0 ? count : nil
        }
    }

    private struct Connection {
        var quota: OutgoingQuota
        var isAuthenticated = false
        /// What it is counted by; nil when no address bounds it.
        var address: ClientAddress?
        var order: @Sendable (ConnectionOrder) -> Void
    }

    /// The connections of one address.
    private struct Count {
        var all = 0
        var unauthenticated = 0
    }

    private let state = NIOLockedValueBox(State())
    private let limits: ConnectionLimits

    init(limits: ConnectionLimits) { self.limits = limits }

    /// An id for a new connection. Ids rise in the order in which connections were accepted, and rule P8 goes by them.
    /// With several event loops, which is not the default, two connections of the same moment may get theirs either
    /// way.
    func makeID() -> UInt64 {
        state.withLockedValue { state in
            defer { state.next += 1 }
            return state.next
        }
    }

    /// Registers the connection until `remove`. Where all connections were sent away, it is told so too.
    /// - Parameters:
    ///   - address: where it comes from; nil: not over IP.
    ///   - order: tells the connection what to do; may be called on any thread.
    /// - Returns: why the connection is to be sent away; nil: it may stay.
    func add(
        _ id: UInt64, _ quota: OutgoingQuota, from address: ClientAddress?,
        order: @escaping @Sendable (ConnectionOrder) -> Void
    ) -> ErrorCode? {
        let isProxy = address.map { address in limits.trustedProxies.contains { $0.contains(address) } } ?? false
        let connection = Connection(quota: quota, address: isProxy ? nil : limits.bounded(address), order: order)
        let (refusal, ending): (ErrorCode?, ErrorCode?) = state.withLockedValue { state in
            state.open[id] = connection
            state.count(connection, by: 1)
            if state.open.count > limits.total || state.unauthenticated > limits.unauthenticated {
                return (.overloaded, state.ending)
            }
            return (exceeds(connection, state) ? .tooMany : nil, state.ending)
        }
        if let ending { order(.goAway(ending, together: 1)) }
        return refusal
    }

    /// Records for whom a trusted proxy has connected.
    /// - Returns: why the connection is to be sent away; nil: it may stay.
    func connected(_ id: UInt64, from address: ClientAddress?) -> ErrorCode? {
        let address = limits.bounded(address)
        return state.withLockedValue { state in
            guard var connection = state.open[id] else { return nil }
            state.count(connection, by: -1)
            connection.address = address
            state.count(connection, by: 1)
            state.open[id] = connection
            return exceeds(connection, state) ? .tooMany : nil
        }
    }

    private func exceeds(_ connection: Connection, _ state: State) -> Bool {
        guard let address = connection.address, let count = state.ofAddress[address] else { return false }
        return count.all > limits.perAddress
            || !connection.isAuthenticated && count.unauthenticated > limits.unauthenticatedPerAddress
    }

    /// Records that the connection's token was accepted.
    func authenticated(_ id: UInt64) {
        state.withLockedValue { state in
            guard var connection = state.open[id], !connection.isAuthenticated else { return }
            state.count(connection, by: -1)
            connection.isAuthenticated = true
            state.count(connection, by: 1)
            state.open[id] = connection
        }
    }

    /// Records that the connection is closed.
    func remove(_ id: UInt64) {
        let whenEmpty: [@Sendable () -> Void] = state.withLockedValue { state in
            if let connection = state.open.removeValue(forKey: id) { state.count(connection, by: -1) }
            guard state.open.isEmpty else { return [] }
            defer { state.whenEmpty = [] }
            return state.whenEmpty
        }
        for call in whenEmpty { call() }
    }

    var count: Int { state.withLockedValue { $0.open.count } }

    /// How many connections were accepted since the start.
    var acceptedCount: Int { state.withLockedValue { Int(clamping: $0.next - 1) } }

    /// How many connections have no room for more rows (rule L1).
    var behindCount: Int { state.withLockedValue { Array($0.open.values) }.count { $0.quota.isBehind } }

    var queuedBytes: [Int] { state.withLockedValue { $0.open.values.map(\.quota.queuedBytes) } }

    /// Sends all connections away, and each that comes from now on.
    /// - Parameter whenEmpty: called once no connection is open; at once when there is none.
    func goAway(_ code: ErrorCode, whenEmpty: @escaping @Sendable () -> Void) {
        let open = state.withLockedValue { state in
            state.ending = code
            if !state.open.isEmpty { state.whenEmpty.append(whenEmpty) }
            return Array(state.open.values)
        }
        if open.isEmpty { whenEmpty() }
        for connection in open { connection.order(.goAway(code, together: open.count)) }
    }

    /// Has every session look whether its token's key is still one of the server's.
    func reviewKeys() {
        for connection in state.withLockedValue({ Array($0.open.values) }) { connection.order(.reviewKey) }
    }
}
