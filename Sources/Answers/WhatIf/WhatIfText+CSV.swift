import FocusCore

extension WhatIfText {
    /// The names of the columns, for a header. Times and decisions are of alerts, counts of badges, distances of
    /// routes; what a line has nothing of is empty.
    package static let columns = [
        "user_id", "app_id", "kind", "effect", "key", "version", "recorded_at", "alert_before", "reason_before",
        "rule_before", "rang_at_before", "alert_after", "reason_after", "rule_after", "rang_at_after", "count_before",
        "count_after", "distance_m_before", "distance_m_after",
    ]

    /// A difference as the fields of `columns`.
    package static func fields(_ difference: WhatIfDifference, of user: UserID) -> [String] {
        let place = [user.description, difference.app.rawValue]
        let none = { (count: Int) in [String](repeating: "", count: count) }
        switch difference {
        case .alert(let alert):
            return place + ["alert", alert.effect.rawValue, alert.notification, "\(alert.version)"]
                + [alert.recordedAt.rfc3339] + fields(alert.before, alert.rangBefore)
                + fields(alert.after, alert.rangAfter) + none(4)
        case .badge(let badge):
            let counts = [badge.before, badge.after].map { $0.map(String.init) ?? "" }
            return place + ["badge"] + none(12) + counts + none(2)
        case .route(let route):
            let distances = [route.before, route.after].map { $0.map { "\($0.distance)" } ?? "" }
            return place + ["route", "", route.route] + none(12) + distances
        }
    }

    private static func fields(_ decision: AlertDecision?, _ rang: Timestamp?) -> [String] {
        guard let decision else { return ["", "", "", ""] }
        return ["\(decision.alert)", "\(decision.reason)", decision.reason.rule, rang?.rfc3339 ?? ""]
    }
}
