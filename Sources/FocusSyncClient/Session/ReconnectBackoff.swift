/// How long a device waits before it connects again: full jitter (rule L5), within the server's bounds if it named any,
/// else within a ceiling that doubles with every failure.
public struct ReconnectBackoff: Hashable, Sendable {
    /// Milliseconds; of the first failure and at most.
    public var ceiling: ClosedRange<Int64>
    /// Failures since the last success.
    public private(set) var failures = 0

    public init(ceiling: ClosedRange<Int64> = 100...30_000) { self.ceiling = ceiling }

    public mutating func succeeded() { failures = 0 }

    /// Milliseconds to wait now.
    public mutating func next(
        within bounds: ClosedRange<Int64>?, using generator: inout some RandomNumberGenerator
    ) -> Int64 {
        failures += 1
        if let bounds { return Int64.random(in: bounds, using: &generator) }
        let doublings = min(failures - 1, 20)
        return Int64.random(in: 0...min(ceiling.upperBound, ceiling.lowerBound << doublings), using: &generator)
    }
}
