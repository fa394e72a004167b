import FocusCore
import Foundation

/// Where the server's moments come from; tests give their own.
public struct ServerClock: Sendable {
    /// Milliseconds that never go back.
    public var monotonic: @Sendable () -> MonotonicTime
    /// The wall clock, in microseconds.
    public var wall: @Sendable () -> Timestamp

    /// Microseconds by which the log's time moves on while the wall clock is behind it: 1 to `greatestStep`, drawn anew for
    /// each statement.
    ///
    /// An event that the log lost may come back to its offset behind others than before. Were it recorded at the same time
    /// again, nobody could tell the two histories apart (`LogAnchor`): of two draws, one in 256 is the same. Greater
    /// steps would outrun the clock that is to catch up: a thousand statements move the log's time on by an eighth of a
    /// second.
    public var step: @Sendable () -> Int64

    /// Microseconds that the wall clock may be from the database's. Nil, for tests that have a time of their own: any.
    public var tolerance: Int64?

    public static let greatestStep: Int64 = 256

    public init(
        monotonic: @escaping @Sendable () -> MonotonicTime, wall: @escaping @Sendable () -> Timestamp,
        step: @escaping @Sendable () -> Int64 = { Int64.random(in: 1...greatestStep) }, tolerance: Int64? = nil
    ) {
        self.monotonic = monotonic
        self.wall = wall
        self.step = step
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
