/// Prometheus' text format, version 0.0.4.
extension MetricFamily {
    /// Families in their order, each with HELP and TYPE. A family without samples is left out: its value is unknown.
    static func text(_ families: [MetricFamily]) -> String {
        families.map { $0.samples.isEmpty ? "" : $0.text }.joined()
    }

    private var text: String {
        let help = help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        var text = "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples { text += name + sample.text }
        return text
    }
}

extension MetricSample {
    fileprivate var text: String {
        let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
        return "\(suffix)\(pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}") \(Self.number(value))\n"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    /// Whole numbers without a point, so that people read them.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        if let whole = Int(exactly: value) { return "\(whole)" }
        return "\(value)"
    }
}
