/// A moment of the monotonic clock in microseconds, for durations of which one lasts less than a millisecond.
public struct PreciseTime: Hashable, Sendable, Comparable {
    public let microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// The beginning of a millisecond.
    init(milliseconds: Int64) { microseconds = milliseconds.multipliedReportingOverflow(by: 1_000).partialValue }

    public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }
    public static func - (a: Self, b: Self) -> Int64 {
        a.microseconds.subtractingReportingOverflow(b.microseconds).partialValue
    }
}
