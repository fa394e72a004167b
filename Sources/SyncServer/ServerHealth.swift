import FocusCore
import NIOConcurrencyHelpers

/// What tells whether a server can serve devices now. Times are in milliseconds.
public struct ServerHealth: Hashable, Sendable {
    /// Whether it stops: it accepts nobody any more.
    public var isStopping = false
    /// Whether its listener closed by itself: it accepts nobody any more until it is started again.
    public var hasLostListener = false
    /// Since PostgreSQL answered a heartbeat, of which there are four a second; nil: it never did.
    public var sinceAnswer: Int64?
    /// Whether PostgreSQL has proved lately that it is the one that writes the log, or need not prove it
    /// (`PrimaryHeartbeat`).
    public var isPrimary = false
    /// Since the lanes confirmed the heads of their partitions, by the lane that is furthest behind; nil: one never did.
    public var sinceHeads: Int64?
    /// The threads that devices depend on and that have not gone on for half a minute (`Liveness`); none of a server that
    /// stops.
    public var hanging: [String] = []
}

extension SyncServer {
    /// How long a heartbeat vouches for PostgreSQL, in milliseconds: several times the pause between two, and less than
    /// the two seconds within which whoever watches the server is to know.
    public static let heartbeatPatience: Int64 = 1_500

    /// Answers at once, from what the server's threads have found.
    public var health: ServerHealth {
        let now = context.clock.monotonic()
        let heads = context.freshness.oldest
        let isStopping = isStopping.withLockedValue { $0 }
        return ServerHealth(
            isStopping: isStopping, hasLostListener: hasLostListener.withLockedValue { $0 },
            sinceAnswer: primary.answeredAt.map { now - $0 },
            isPrimary: primary.vouches(within: Self.heartbeatPatience),
            sinceHeads: heads < MonotonicTime(milliseconds: 0) ? nil : now - heads,
            // Threads that ended go on no more.
            hanging: isStopping ? [] : liveness.hanging)
    }
}
