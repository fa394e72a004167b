/// What became of a case.
public struct CaseResult: Sendable {
    public enum Outcome: Hashable, Sendable {
        case passed
        case failed(String)
        case skipped(String)
    }

    public let rule: String
    public let title: String
    public let outcome: Outcome
    /// How long the case took, in seconds.
    public let seconds: Double
    /// How long the server took where the rule names a time, in seconds; nil: the rule names none, or the case did not
    /// pass.
    public let measuredSeconds: Double?

    public init(rule: String, title: String, outcome: Outcome, seconds: Double, measuredSeconds: Double? = nil) {
        self.rule = rule
        self.title = title
        self.outcome = outcome
        self.seconds = seconds
        self.measuredSeconds = measuredSeconds
    }

    public var hasFailed: Bool {
        if case .failed = outcome { true } else { false }
    }
}
