import FocusCore
import NIOConcurrencyHelpers
import SyncServer

/// A server's clocks, which stand still until a test moves them: no poll, delay or expiry happens by itself.
final class ManualTime: Sendable {
    private let milliseconds = NIOLockedValueBox<Int64>(1_000_000)
    private let start = Timestamp.now

    func advance(milliseconds delta: Int64) { milliseconds.withLockedValue { $0 += delta } }

    var wall: Timestamp { start.adding(microseconds: (milliseconds.withLockedValue { $0 } - 1_000_000) * 1_000) }

    var clock: ServerClock {
        ServerClock(
            monotonic: { MonotonicTime(milliseconds: self.milliseconds.withLockedValue { $0 }) }, wall: { self.wall })
    }
}

extension WireClient {
    /// Returns when the device has its snapshot; from then on it is told what changes.
    func untilLive() async throws {
        _ = try await first { if case .snapshotEnd = $0 { true } else { nil } }
    }

    func goAway() async throws -> ErrorCode {
        try await first { if case .goAway(let goAway) = $0 { goAway.code } else { nil } }
    }

    /// The version of the next delta.
    func deltaVersion() async throws -> Version {
        try await first {
            switch $0 {
            case .delta(_, _, let cursor), .deltaEnd(let cursor): cursor.version
            default: nil
            }
        }
    }

    /// All messages until the connection ends.
    func rest() async -> [ServerMessage] {
        var messages: [ServerMessage] = []
        while let message = try? await next() { messages.append(message) }
        return messages
    }

    /// Returns when the server has received everything that was sent before.
    /// - Returns: what the server had sent by then.
    @discardableResult func flush() async throws -> [ServerMessage] {
        try await send(.ping(77))
        return try await through { $0 == .pong(77) }.dropLast()
    }

    /// All messages up to and including the first one for which `isLast` is true.
    func through(_ isLast: (ServerMessage) -> Bool) async throws -> [ServerMessage] {
        var messages: [ServerMessage] = []
        while true {
            let message = try await next()
            messages.append(message)
            if isLast(message) { return messages }
        }
    }
}
