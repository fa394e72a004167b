import FocusCore
import NIOConcurrencyHelpers

/// Bounds the bytes that connections hold of frames which were not taken up yet (rule Q7). Past the bound those
/// connections are closed that held the most for the longest, first of the user whose connections did so together.
final class PartialFrames: Sendable {
    private struct Part {
        var bytes: Int
        var owner: ConnectionOwner
        var since: MonotonicTime
        var close: @Sendable () -> Void

        /// Byte milliseconds; a part counts from its first moment on.
        func weight(_ now: MonotonicTime) -> Double {
            let milliseconds = now - since + 1
            return Double(bytes) * Double(milliseconds)
        }
    }

    private struct State {
        var parts: [UInt64: Part] = [:]
        var bytes = 0
    }

    let limit: Int
    private let state = NIOLockedValueBox(State())

    init(limit: Int) { self.limit = limit }

    var used: Int { state.withLockedValue { $0.bytes } }

    /// Records what a connection holds by now.
    /// - Parameters:
    ///   - bytes: 0: nothing; the connection is forgotten.
    ///   - close: closes the connection; called on any thread, once.
    func holds(
        _ bytes: Int, _ connection: UInt64, of owner: ConnectionOwner, now: MonotonicTime,
        close: @escaping @Sendable () -> Void
    ) {
        let closed: [@Sendable () -> Void] = state.withLockedValue { state in
            let before = state.parts.removeValue(forKey: connection)
            state.bytes += bytes - (before?.bytes ?? 0)
            if bytes > 0 {
                state.parts[connection] = Part(bytes: bytes, owner: owner, since: before?.since ?? now, close: close)
            }
            guard state.bytes > limit else { return [] }
            return Self.evict(&state, limit, now)
        }
        for close in closed { close() }
    }

    /// Forgets parts until a quarter of the bound is free: all connections are looked through.
    private static func evict(_ state: inout State, _ limit: Int, _ now: MonotonicTime) -> [@Sendable () -> Void] {
        var closed: [@Sendable () -> Void] = []
        var together: [ConnectionOwner: Double] = [:]
        for part in state.parts.values { together[part.owner, default: 0] += part.weight(now) }
        let heaviest = state.parts
            .map { (connection: $0, part: $1, rank: (together[$1.owner, default: 0], $1.weight(now))) }
            .sorted { $0.rank != $1.rank ? $0.rank > $1.rank : $0.connection < $1.connection }
        for (connection, part, _) in heaviest where state.bytes > limit / 4 * 3 {
            state.parts[connection] = nil
            state.bytes -= part.bytes
            closed.append(part.close)
        }
        return closed
    }
}
