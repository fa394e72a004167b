/// A figure with its meaning, and its value for each combination of labels.
///
/// Counters end in `_total` and only grow while the server runs; times are in seconds, sizes in bytes.
public struct MetricFamily: Sendable {
    public enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    public var name: String
    public var kind: Kind
    /// One sentence for people.
    public var help: String
    public var samples: [MetricSample]

    public init(_ name: String, _ kind: Kind, _ help: String, _ samples: [MetricSample]) {
        (self.name, self.kind, self.help, self.samples) = (name, kind, help, samples)
    }

    /// A counter without labels.
    public static func counter(_ name: String, _ help: String, _ value: Int) -> MetricFamily {
        MetricFamily(name, .counter, help, [MetricSample(Double(value))])
    }

    /// A gauge without labels; no sample when there is no value.
    public static func gauge(_ name: String, _ help: String, _ value: Double?) -> MetricFamily {
        MetricFamily(name, .gauge, help, value.map { [MetricSample($0)] } ?? [])
    }

    public static func gauge(_ name: String, _ help: String, _ value: Int) -> MetricFamily {
        gauge(name, help, Double(value))
    }
}

/// A value, and the labels that it is for.
public struct MetricSample: Sendable {
    /// What follows the family's name: `_bucket`, `_sum` or `_count` of a histogram.
    var suffix = ""
    public var labels: [(name: String, value: String)]
    public var value: Double

    public init(_ value: Double, _ labels: (name: String, value: String)...) {
        (self.value, self.labels) = (value, labels)
    }

    init(suffix: String, _ value: Double, _ labels: [(name: String, value: String)]) {
        (self.suffix, self.value, self.labels) = (suffix, value, labels)
    }
}
