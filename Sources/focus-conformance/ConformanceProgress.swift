import Conformance
import NIOConcurrencyHelpers
import Programs

/// Prints a line for each case when it ends: for scripts its result, and for people a line on standard error, because
/// the table comes only at the end of all.
final class ConformanceProgress: Sendable {
    private let total: Int
    private let json: Bool
    private let done = NIOLockedValueBox(0)

    init(_ total: Int, json: Bool) {
        self.total = total
        self.json = json
    }

    func show(_ result: CaseResult) {
        let number = done.withLockedValue { done in
            done += 1
            return done
        }
        guard !json else { return Terminal.line(ConformanceText.object(result)) }
        let word = ConformanceText.word(result.outcome)
        let reason = result.hasFailed ? ConformanceText.reason(result.outcome).map { ": \($0)" } ?? "" : ""
        Terminal.complain("\(number) of \(total)  \(result.rule)  \(word)  \(result.title)\(reason)")
    }
}
