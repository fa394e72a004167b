import FocusCore
import Foundation

/// Where the server's moments come from; tests give their own.
public struct ServerClock: Sendable {
    /// Milliseconds that never go back.
    public var monotonic: @Sendable () -> MonotonicTime
    /// The wall clock, in microseconds.
    public var wall: @Sendable () -> Timestamp

    public init(monotonic: @escaping @Sendable () -> MonotonicTime, wall: @escaping @Sendable () -> Timestamp) {
        self.monotonic = monotonic
        self.wall = wall
    }

    /// The machine's clocks.
    public static let system = ServerClock(
        monotonic: { MonotonicTime(milliseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1_000_000)) },
        wall: { Timestamp(microseconds: Int64((Date().timeIntervalSince1970 * 1_000_000).rounded())) })
}
