/// Counts durations in fixed buckets. One thread owns it; whoever else reads it reads a copy.
public struct DurationHistogram: Hashable, Sendable {
    /// The first bucket's bound, in microseconds. Each further bound is twice the one before.
    private static let firstBound: Int64 = 250
    /// 0.25 ms to 16 s.
    private static let boundCount = 17

    /// The greatest duration of each bucket but the last, in seconds.
    public static let bounds: [Double] = (0..<boundCount).map { Double(firstBound << $0) / 1_000_000 }

    /// How many durations fell into each bucket. The last one has those past all bounds.
    public private(set) var counts = [Int](repeating: 0, count: boundCount + 1)
    /// The sum of all durations, in microseconds.
    public private(set) var microseconds: Int64 = 0

    public init() {}

    public var count: Int { counts.reduce(0, +) }

    /// Counts a duration; one below zero, as where a clock is wrong, is counted as zero.
    mutating func add(microseconds duration: Int64) {
        let duration = max(0, min(duration, Self.longest))
        counts[Self.bucket(of: duration)] += 1
        microseconds += duration
    }

    /// An hour: nothing that is measured here takes longer, and sums of it cannot overflow.
    private static let longest: Int64 = 3_600_000_000

    /// The number of the first bucket whose bound is at least the duration. It takes no loop, because every event of a
    /// lane comes by here.
    private static func bucket(of duration: Int64) -> Int {
        guard duration > firstBound else { return 0 }
        let quotient = (duration - 1) / firstBound
        return min(boundCount, Int64.bitWidth - quotient.leadingZeroBitCount)
    }

    /// Adds what another one has counted.
    public mutating func add(_ other: DurationHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        microseconds += other.microseconds
    }
}
