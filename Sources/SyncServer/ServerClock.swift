import FocusCore
import Foundation

/// The clocks that the server reads; tests give their own.
public struct ServerClock: Sendable {
    /// A clock that never goes back, in milliseconds.
    public var monotonic: @Sendable () -> MonotonicTime
    /// The same clock in microseconds, to measure by. Nothing is decided by it.
    public var precise: @Sendable () -> PreciseTime
    /// The wall clock, in microseconds.
    public var wall: @Sendable () -> Timestamp

    /// By how many microseconds the log's time moves on while the wall clock is behind it: 1 to `greatestStep`, drawn
    /// anew for each statement.
    ///
    /// An event that the log lost may come back to its offset, behind other events than before. If it were recorded at
    /// the same time again, nobody could tell the two histories apart (`LogAnchor`). Two draws are equal once in 256
    /// times. Greater steps would keep the log's time ahead of the wall clock: with these, a thousand statements move
    /// it on by an eighth of a second.
    public var step: @Sendable () -> Int64

    /// How many microseconds the wall clock may differ from the database's (rule E4). Nil: by any amount, for tests
    /// that have a time of their own.
    public var tolerance: Int64?

    /// See `step`.
    public static let greatestStep: Int64 = 256

    public init(
        monotonic: @escaping @Sendable () -> MonotonicTime, wall: @escaping @Sendable () -> Timestamp,
        step: @escaping @Sendable () -> Int64 = { Int64.random(in: 1...greatestStep) }, tolerance: Int64? = nil,
        precise: (@Sendable () -> PreciseTime)? = nil
    ) {
        self.monotonic = monotonic
        self.wall = wall
        self.step = step
        self.tolerance = tolerance
        self.precise = precise ?? { PreciseTime(milliseconds: monotonic().milliseconds) }
    }

    /// Two seconds, in microseconds. Clocks that NTP keeps differ by milliseconds, and an event that is recorded two
    /// seconds early or late harms nobody.
    public static let usualTolerance: Int64 = 2_000_000

    /// The machine's clocks.
    public static let system = ServerClock(
        monotonic: { MonotonicTime(milliseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1_000_000)) },
        wall: { Timestamp(microseconds: Int64((Date().timeIntervalSince1970 * 1_000_000).rounded())) },
        tolerance: usualTolerance,
        precise: { PreciseTime(microseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1_000)) })
}
