/// Results as JUnit XML, which CI systems read: a test suite for each rule.
public struct JUnitReport {
    private let results: [CaseResult]

    public init(_ results: [CaseResult]) { self.results = results }

    public var text: String {
        var rules: [String] = []
        for result in results where !rules.contains(result.rule) { rules.append(result.rule) }
        let suites = rules.map { rule in suite(rule, results.filter { $0.rule == rule }) }
        return
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"conformance\"\(counts(results))>\n"
            + suites.joined() + "</testsuites>\n"
    }

    private func suite(_ rule: String, _ results: [CaseResult]) -> String {
        "  <testsuite name=\"\(Self.escaped(rule))\"\(counts(results))>\n" + results.map(element).joined()
            + "  </testsuite>\n"
    }

    private func counts(_ results: [CaseResult]) -> String {
        let skipped = results.filter { if case .skipped = $0.outcome { true } else { false } }.count
        let seconds = results.reduce(0) { $0 + $1.seconds }
        return " tests=\"\(results.count)\" failures=\"\(results.filter(\.hasFailed).count)\" skipped=\"\(skipped)\""
            + " time=\"\(Self.seconds(seconds))\""
    }

    private func element(_ result: CaseResult) -> String {
        let head =
            "    <testcase classname=\"focus-sync.\(Self.escaped(result.rule))\" name=\"\(Self.escaped(result.title))\""
            + " time=\"\(Self.seconds(result.seconds))\""
        switch result.outcome {
        case .passed:
            guard let measured = result.measuredSeconds else { return head + "/>\n" }
            return head + "><system-out>measured \(Self.seconds(measured)) s</system-out></testcase>\n"
        case .failed(let reason): return head + "><failure message=\"\(Self.escaped(reason))\"/></testcase>\n"
        case .skipped(let reason): return head + "><skipped message=\"\(Self.escaped(reason))\"/></testcase>\n"
        }
    }

    /// Seconds with three decimals.
    private static func seconds(_ seconds: Double) -> String { String(Double(Int(seconds * 1_000)) / 1_000) }

    /// The text as the value of an attribute. XML 1.0 has no control characters but tab, line feed and carriage return.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
