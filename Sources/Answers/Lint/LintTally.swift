import FocusCore

/// What an app's notifications were found to be like, for people and for scripts.
package struct LintTally {
    /// How many events of a question people are shown.
    private static let shown = 3

    private struct Count {
        var findings = 0
        var users: Set<UserID> = []
        var examples: [(user: UserID, finding: LintFinding)] = []
    }

    package var users = 0
    private var counts: [LintQuestion: Count] = [:]

    package init() {}

    package mutating func add(_ finding: LintFinding, of user: UserID) {
        counts[finding.question, default: Count()].findings += 1
        counts[finding.question]?.users.insert(user)
        if counts[finding.question]?.examples.count ?? 0 < Self.shown {
            counts[finding.question]?.examples.append((user, finding))
        }
    }

    package var lines: [String] {
        guard !counts.isEmpty else { return ["Nothing to complain about: \(users) users."] }
        return LintQuestion.allCases.flatMap { question -> [String] in
            guard let count = counts[question] else { return [] }
            let head = "\(question.rawValue): \(count.findings) times, \(count.users.count) users. \(question.advice)"
            let examples = count.examples.map { user, finding in
                let earlier = finding.earlier.map { ", as \($0)" } ?? ""
                return "    \(VisibleText.of(finding.about)): event \(finding.event) of user \(user), "
                    + "version \(finding.version)\(earlier)"
            }
            return [head] + examples
        } + ["\(users) users were looked at."]
    }

    package static func json(_ finding: LintFinding, of user: UserID) -> String {
        var object = JSONText()
        object.add("question", finding.question.rawValue)
        object.add("user", user.description)
        object.add("version", finding.version.rawValue)
        object.add("eventId", finding.event.description)
        object.add("occurredAt", finding.occurredAt.rfc3339)
        object.add("about", finding.about)
        object.add("earlierEventId", finding.earlier?.description)
        return object.text
    }
}
