import Foundation

/// Figures as Prometheus reads them (text format 0.0.4), and what its conventions ask of them. Stricter than Prometheus
/// itself.
public struct Exposition: Sendable {
    /// The type of each family.
    public private(set) var types: [String: String] = [:]
    /// The value of each series, by its name and labels as they stand in the text.
    public private(set) var values: [String: Double] = [:]
    /// What is wrong.
    public private(set) var flaws: [String] = []

    public init(_ text: String) {
        var helped: Set<String> = []
        var family = ""
        if !text.hasSuffix("\n") { flaws.append("the last line has no end") }
        for line in text.split(separator: "\n") {
            if let help = line.wholeMatch(of: /# HELP ([a-z_0-9]+) (.+)/) {
                if !helped.insert(String(help.1)).inserted { flaws.append("\(help.1) is explained twice") }
                family = String(help.1)
            } else if let type = line.wholeMatch(of: /# TYPE ([a-z_0-9]+) (counter|gauge|histogram)/) {
                if type.1 != family { flaws.append("no HELP before \(line)") }
                types[family] = String(type.2)
            } else if let sample = line.wholeMatch(of: /([a-z_0-9]+)(\{.*\})? (\S+)/) {
                add(String(sample.1), String(sample.2 ?? ""), String(sample.3), family)
            } else {
                flaws.append("no line of the format: \(line)")
            }
        }
        checkNames()
        checkHistograms()
    }

    /// The value of a series without labels, or with those that the name ends in.
    public subscript(_ series: String) -> Double? { values[series] }

    /// The sum over all labels of a name.
    public func sum(_ name: String) -> Double {
        values.filter { $0.key == name || $0.key.hasPrefix(name + "{") }.values.reduce(0, +)
    }

    private mutating func add(_ name: String, _ labels: String, _ text: String, _ family: String) {
        let isOfFamily =
            name == family
            || types[family] == "histogram" && ["_bucket", "_sum", "_count"].contains { name == family + $0 }
        if !isOfFamily || types[family] == nil { flaws.append("\(name) stands under \(family)") }
        let pair = #/[a-z_][a-z0-9_]*="(?:[^"\\]|\\[\\"n])*"/#
        if !labels.isEmpty {
            let inner = String(labels.dropFirst().dropLast())
            let pairs = inner.matches(of: pair).map { String($0.0) }
            if pairs.joined(separator: ",") != inner { flaws.append("no labels: \(labels)") }
            if Set(pairs.map { $0.prefix { $0 != "=" } }).count != pairs.count { flaws.append("twice in \(labels)") }
        }
        guard let value = Double(text.replacing("+Inf", with: "inf")) else {
            flaws.append("\(name) is no number: \(text)")
            return
        }
        if values.updateValue(value, forKey: name + labels) != nil { flaws.append("\(name)\(labels) is there twice") }
    }

    /// Base units, `_total` for what counts, and nothing of the kind where it does not.
    private mutating func checkNames() {
        let others: Set<Substring> = [
            "milliseconds", "ms", "microseconds", "us", "minutes", "hours", "kilobytes", "mb", "percent",
        ]
        for (family, type) in types {
            if (type == "counter") != family.hasSuffix("_total") { flaws.append("\(family) is a \(type)") }
            if type == "histogram", !family.hasSuffix("_seconds"), !family.hasSuffix("_bytes") {
                flaws.append("\(family) has no unit")
            }
            if !others.isDisjoint(with: family.split(separator: "_")) { flaws.append("\(family) is not in base units") }
            if !family.hasPrefix("focus_"), !family.hasPrefix("process_") { flaws.append("\(family) is not ours") }
        }
    }

    /// Buckets count what is at most their bound, so each has as many as the one before it; the last has all.
    private mutating func checkHistograms() {
        let bucket = /(.*)_bucket\{(.*?),?le="([^"]*)"\}/
        var found: [String: [(bound: Double, count: Double)]] = [:]
        for (series, count) in values {
            guard let match = series.wholeMatch(of: bucket), types[String(match.1)] == "histogram" else { continue }
            let labels = match.2.isEmpty ? "" : "{\(match.2)}"
            found["\(match.1)|\(labels)", default: []].append(
                (Double(match.3.replacing("+Inf", with: "inf")) ?? .nan, count))
        }
        for (key, buckets) in found {
            let parts = key.split(separator: "|", omittingEmptySubsequences: false)
            let sorted = buckets.sorted { $0.bound < $1.bound }
            if sorted.last?.bound != .infinity { flaws.append("\(key) has no last bucket") }
            if zip(sorted, sorted.dropFirst()).contains(where: { $0.count > $1.count }) {
                flaws.append("\(key) is not cumulative")
            }
            if sorted.last?.count != values["\(parts[0])_count\(parts[1])"] { flaws.append("\(key) has another count") }
            if values["\(parts[0])_sum\(parts[1])"] == nil { flaws.append("\(key) has no sum") }
        }
    }
}
