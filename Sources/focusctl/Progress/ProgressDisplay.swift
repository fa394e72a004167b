import Foundation
import Programs

/// Shows on standard error how far long work is: on a terminal a line that is overwritten, else a line every ten
/// seconds.
struct ProgressDisplay: Sendable {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let start = ContinuousClock.now
    private var line: ProgressLine

    /// - Parameters:
    ///   - noun: what is counted, in the plural.
    ///   - begun: how much was done before; it does not count for the speed.
    init(total: Int, of noun: String, begun: Int = 0) {
        line = ProgressLine(
            total: total, noun: noun, interval: isTerminal ? .milliseconds(200) : .seconds(10), begun: begun)
    }

    /// - Parameter total: the new total, when it has grown.
    mutating func show(_ done: Int, of total: Int? = nil) {
        if let total { line.total = total }
        guard let text = line.next(done, after: ContinuousClock.now - start) else { return }
        if isTerminal {
            Terminal.say("\r\u{1B}[K\(text)")
        } else {
            Terminal.complain(text)
        }
    }

    /// Clears the line, for other output.
    func clear() {
        if isTerminal { Terminal.say("\r\u{1B}[K") }
    }
}

/// A line that says how much is done, of how much, how fast, and how long it will still take; at most once in an
/// interval.
struct ProgressLine {
    var total: Int
    let noun: String
    let interval: Duration
    /// Done before the time began.
    let begun: Int
    private var due: Duration

    init(total: Int, noun: String, interval: Duration, begun: Int = 0) {
        self.total = total
        self.noun = noun
        self.interval = interval
        self.begun = begun
        due = interval
    }

    /// The line to show; nil when the interval has not passed yet.
    mutating func next(_ done: Int, after elapsed: Duration) -> String? {
        guard elapsed >= due else { return nil }
        due = elapsed + interval
        let seconds = max(elapsed / .seconds(1), 1e-3)
        let rate = Double(done - begun) / seconds
        let left = rate > 0 ? Self.span(Double(max(0, total - done)) / rate) : "unknown time"
        return "\(done) of \(total) \(noun), \(Self.rate(rate))/s, \(left) left"
    }

    private static func rate(_ rate: Double) -> String {
        rate >= 10 ? String(Int(rate.rounded())) : String((rate * 10).rounded() / 10)
    }

    private static func span(_ seconds: Double) -> String {
        let seconds = Int(min(seconds.rounded(.up), 1e9))
        if seconds < 120 { return "\(seconds) s" }
        return seconds < 7_200 ? "\((seconds + 59) / 60) min" : "\((seconds + 3_599) / 3_600) h"
    }
}
