import FocusCore

/// A difference for scripts.
package enum WhatIfText {
    package static func json(_ difference: WhatIfDifference, of user: UserID) -> String {
        var json = JSONText()
        json.add("user", user.description)
        json.add("app", difference.app.rawValue)
        switch difference {
        case .alert(let alert):
            json.add("kind", "alert")
            json.add("effect", alert.effect.rawValue)
            json.add("notification", alert.notification)
            json.add("version", alert.version.rawValue)
            json.add("recordedAt", alert.recordedAt.rfc3339)
            json.addRaw("before", decision(alert.before, alert.rangBefore))
            json.addRaw("after", decision(alert.after, alert.rangAfter))
        case .badge(let badge):
            json.add("kind", "badge")
            json.addRaw("before", badge.before.map(String.init) ?? "null")
            json.addRaw("after", badge.after.map(String.init) ?? "null")
        case .route(let route):
            json.add("kind", "route")
            json.add("route", route.route)
            json.addRaw("before", aggregates(route.before))
            json.addRaw("after", aggregates(route.after))
        }
        return json.text
    }

    private static func decision(_ decision: AlertDecision?, _ rang: Timestamp?) -> String {
        guard let decision else { return "null" }
        var json = JSONText()
        json.add("alert", "\(decision.alert)")
        json.add("reason", "\(decision.reason)")
        json.add("rule", decision.reason.rule)
        json.add("rangAt", rang?.rfc3339)
        return json.text
    }

    private static func aggregates(_ aggregates: RouteAggregates?) -> String {
        guard let aggregates else { return "null" }
        var json = JSONText()
        json.add("accepted", aggregates.counts.accepted)
        json.add("dropped", aggregates.counts.dropped)
        json.addRaw("distanceMetres", "\(aggregates.distance)")
        return json.text
    }
}
