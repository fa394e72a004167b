extension MetricFamily {
    /// What fell into each bucket of a histogram.
    public struct Buckets: Sendable {
        public var labels: [(name: String, value: String)]
        /// How many values fell into each bucket, and behind them how many were past all bounds.
        public var counts: [Int]
        /// The sum of all values.
        public var sum: Double

        public init(_ counts: [Int], sum: Double, _ labels: (name: String, value: String)...) {
            (self.labels, self.counts, self.sum) = (labels, counts, sum)
        }
    }

    /// A histogram as Prometheus counts: each bucket has what is in the ones before it too.
    /// - Parameter bounds: the greatest value of each bucket, rising.
    public static func histogram(
        _ name: String, _ help: String, bounds: [Double], _ series: [Buckets]
    ) -> MetricFamily {
        var samples: [MetricSample] = []
        for buckets in series {
            var total = 0
            for (bound, count) in zip(bounds + [.infinity], buckets.counts) {
                total += count
                let bound = (name: "le", value: MetricSample.number(bound))
                samples.append(MetricSample(suffix: "_bucket", Double(total), buckets.labels + [bound]))
            }
            samples.append(MetricSample(suffix: "_sum", buckets.sum, buckets.labels))
            samples.append(MetricSample(suffix: "_count", Double(total), buckets.labels))
        }
        return MetricFamily(name, .histogram, help, samples)
    }
}
