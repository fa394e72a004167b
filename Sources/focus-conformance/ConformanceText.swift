import Answers
import Conformance

/// Cases and their results, for people and for scripts.
enum ConformanceText {
    static func list(_ cases: [ConformanceCase], json: Bool) -> [String] {
        var table = Table(["RULE", "NEEDS", "CASE"])
        var lines: [String] = []
        for one in cases {
            let needs = one.needs.map(\.option).joined(separator: ", ")
            var object = JSONText()
            object.add("rule", one.rule)
            object.add("case", one.title)
            object.add("needs", needs)
            lines.append(object.text)
            table.add([one.rule, needs.isEmpty ? "–" : needs, one.title])
        }
        return json ? lines : table.lines
    }

    static func table(_ results: [CaseResult]) -> [String] {
        var table = Table(["RULE", "RESULT", "SECONDS", "CASE"])
        for result in results { table.add([result.rule, word(result.outcome), seconds(result), title(result)]) }
        let counts = ["passed", "failed", "skipped"].map { word in
            "\(results.filter { Self.word($0.outcome) == word }.count) \(word)"
        }
        return table.lines + [counts.joined(separator: ", ")]
    }

    static func object(_ result: CaseResult) -> String {
        var object = JSONText()
        object.add("rule", result.rule)
        object.add("case", result.title)
        object.add("result", word(result.outcome))
        object.add("reason", reason(result.outcome))
        object.addRaw("seconds", seconds(result))
        if let measured = result.measuredSeconds { object.addRaw("measuredSeconds", milliseconds(measured)) }
        return object.text
    }

    static func word(_ outcome: CaseResult.Outcome) -> String {
        switch outcome {
        case .passed: "passed"
        case .failed: "failed"
        case .skipped: "skipped"
        }
    }

    static func reason(_ outcome: CaseResult.Outcome) -> String? {
        switch outcome {
        case .passed: nil
        case .failed(let reason), .skipped(let reason): reason
        }
    }

    /// The case's title, with the reason of its outcome or the time that it measured.
    private static func title(_ result: CaseResult) -> String {
        let measured = result.measuredSeconds.map { "measured \(milliseconds($0)) s" }
        return (reason(result.outcome) ?? measured).map { "\(result.title) – \($0)" } ?? result.title
    }

    private static func milliseconds(_ seconds: Double) -> String {
        String(Double(Int(seconds * 1_000)) / 1_000)
    }

    private static func seconds(_ result: CaseResult) -> String {
        String(Double(Int(result.seconds * 10)) / 10)
    }
}
