import FocusCore
import Foundation

/// Where the server's moments come from; tests give their own.
public struct ServerClock: Sendable {
    /// Milliseconds that never go back.
    public var monotonic: @Sendable () -> MonotonicTime
    /// The wall clock, in microseconds.
    public var wall: @Sendable () -> Timestamp

    /// Microseconds that the wall clock may be from the database's. Nil, for tests that have a time of their own: any.
    public var tolerance: Int64?

    public init(
        monotonic: @escaping @Sendable () -> MonotonicTime, wall: @escaping @Sendable () -> Timestamp,
        tolerance: Int64? = nil
    ) {
        self.monotonic = monotonic
        self.wall = wall
        self.tolerance = tolerance
    }

    /// Clocks that are kept by NTP differ by milliseconds; what is recorded two seconds late or early harms nobody.
    public static let usualTolerance: Int64 = 2_000_000

    /// The machine's clocks.
    public static let system = ServerClock(
        monotonic: { MonotonicTime(milliseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1_000_000)) },
        wall: { Timestamp(microseconds: Int64((Date().timeIntervalSince1970 * 1_000_000).rounded())) },
        tolerance: usualTolerance)
}
