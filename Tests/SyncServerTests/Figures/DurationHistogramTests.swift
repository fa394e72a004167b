import SeededNumbers
import Support
import Testing

@testable import SyncServer

@Suite("Duration histograms") struct DurationHistogramTests {
    @Test("A duration falls into the first bucket whose bound it does not exceed", arguments: Seeds.fresh(3))
    func buckets(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let bounds = DurationHistogram.bounds.map { Int64(($0 * 1_000_000).rounded()) }
        #expect(bounds.first == 250 && bounds.last == 16_384_000)
        // The edges of each bucket, and others.
        var durations: [Int64] = [0, 1]
        for bound in bounds { durations += [bound - 1, bound, bound + 1] }
        for _ in 0..<1_000 { durations.append(Int64(random.next() >> (39 + random.next() % 25))) }
        for duration in durations {
            var histogram = DurationHistogram()
            histogram.add(microseconds: duration)
            let expected = bounds.firstIndex { duration <= $0 } ?? bounds.count
            #expect(histogram.counts.firstIndex(of: 1) == expected, "\(duration) µs")
            #expect(histogram.count == 1 && histogram.microseconds == min(duration, 3_600_000_000))
        }
    }

    @Test("A clock that is wrong spoils no sum")
    func wrongClock() {
        var histogram = DurationHistogram()
        for duration in [.min, -1, .max, Int64.max] { histogram.add(microseconds: duration) }
        #expect(histogram.count == 4 && histogram.counts.first == 2 && histogram.counts.last == 2)
        #expect(histogram.microseconds == 7_200_000_000)
    }

    @Test("Histograms of several lanes add up")
    func addition() {
        var (one, other) = (DurationHistogram(), DurationHistogram())
        one.add(microseconds: 100)
        other.add(microseconds: 300)
        other.add(microseconds: 100)
        one.add(other)
        #expect(one.counts.prefix(3) == [2, 1, 0] && one.microseconds == 500)
    }
}
