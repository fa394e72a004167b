import Conformance
import NIOConcurrencyHelpers
import Programs

/// Prints a line on standard error for each case when it ends: the table comes only at the end of all.
final class ConformanceProgress: Sendable {
    private let total: Int
    private let isQuiet: Bool
    private let done = NIOLockedValueBox(0)

    init(_ total: Int, isQuiet: Bool) {
        self.total = total
        self.isQuiet = isQuiet
    }

    func show(_ result: CaseResult) {
        let number = done.withLockedValue { done in
            done += 1
            return done
        }
        // With JSON, failures are told only in the results.
        guard !isQuiet else { return }
        let word = ConformanceText.word(result.outcome)
        let reason = result.hasFailed ? ConformanceText.reason(result.outcome).map { ": \($0)" } ?? "" : ""
        Terminal.complain("\(number) of \(total)  \(result.rule)  \(word)  \(result.title)\(reason)")
    }
}
