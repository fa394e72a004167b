/// How long a device waits before it connects again: full jitter (rule L5), within the server's bounds if it named any,
/// else up to a ceiling that doubles with every failure.
public struct ReconnectBackoff: Hashable, Sendable {
    /// The ceiling of the wait in milliseconds: after the first failure, and after many.
    public var ceiling: ClosedRange<Int64>
    /// The number of failures since the last success.
    public private(set) var failures = 0

    public init(ceiling: ClosedRange<Int64> = 100...30_000) { self.ceiling = ceiling }

    /// Forgets the failures so far.
    public mutating func succeeded() { failures = 0 }

    /// Counts a failure.
    /// - Parameter bounds: milliseconds; nil: the server named none.
    /// - Returns: how long to wait now, in milliseconds.
    public mutating func next(
        within bounds: ClosedRange<Int64>?, using generator: inout some RandomNumberGenerator
    ) -> Int64 {
        failures += 1
        if let bounds { return Int64.random(in: bounds, using: &generator) }
        let doublings = min(failures - 1, 20)
        return Int64.random(in: 0...min(ceiling.upperBound, ceiling.lowerBound << doublings), using: &generator)
    }
}
