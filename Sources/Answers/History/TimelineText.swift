import FocusCore

/// A user's history in words.
package enum TimelineText {
    package static func lines(_ event: Event, _ changes: [TimelineWatch.Change]) -> [String] {
        let device = event.device == .server ? "server" : String(event.device.description.prefix(8))
        var lines = ["\(event.version)  \(event.occurredAt.rfc3339)  \(device)  \(EventSentence.text(event))"]
        let delay = (event.recordedAt.microseconds - event.occurredAt.microseconds) / 1_000_000
        if delay >= 60 { lines.append("      came \(delay / 60) min late") }
        return lines + changes.compactMap(consequence).map { "      → \($0)" }
    }

    package static func json(_ event: Event, _ changes: [TimelineWatch.Change]) -> String {
        var json = JSONText()
        json.add("version", event.version.rawValue)
        json.add("eventId", event.id.description)
        json.add("type", event.body.type.rawValue)
        json.add("app", event.app?.rawValue)
        json.add("device", event.device.description)
        json.add("occurredAt", event.occurredAt.rfc3339)
        json.add("recordedAt", event.recordedAt.rfc3339)
        json.add("text", EventSentence.text(event))
        let told = changes.map { change in
            var json = JSONText()
            json.add("collection", change.key.collection.rawValue)
            json.add("app", change.key.app?.rawValue)
            json.add("key", change.key.key)
            json.addRaw("value", change.after.map { RowText.json(change.key.collection, $0) } ?? "null")
            json.add("text", consequence(change))
            return json.text
        }
        json.addRaw("consequences", "[\(told.joined(separator: ","))]")
        return json.text
    }

    /// What the change of a row means; nil when the event's own sentence says it.
    private static func consequence(_ change: TimelineWatch.Change) -> String? {
        let (key, value) = (change.key, change.after)
        let app = key.app?.rawValue ?? "all apps"
        switch key.collection {
        case .alerts: return value.flatMap { alert("the alert of \(key.key) of \(app)", $0) }
        case .classAlerts: return value.flatMap { alert("the alert of \(key.key) of \(app)", $0) }
        case .badges:
            let count = value.flatMap { try? BadgeRow(decoding: $0) }.flatMap(\.count)
            return "the badge of \(app) shows \(count.map(String.init) ?? "nothing")"
        case .focusVisibility:
            return "what \(app) sees of the Focus: \(visibility(value))"
        case .activeFocus:
            return value.map { "active Focus: \(RowText.summary(key.collection, $0))" } ?? "no Focus is active"
        case .preferences:
            return value.map { "preference \(key.key) of \(app): \(RowText.summary(key.collection, $0))" }
                ?? "preference \(key.key) of \(app) is absent"
        case .routes: return value.map { route(key.key, $0) } ?? "route \(key.key) of \(app) is gone"
        default: return nil
        }
    }

    /// Apple's words: a status is focused, not focused or unavailable (rule F3).
    private static func visibility(_ value: [UInt8]?) -> String {
        guard let value else { return "unavailable" }
        guard let row = try? FocusVisibilityRow(decoding: value) else {
            return RowText.summary(.focusVisibility, value)
        }
        return row.isFocused.map { $0 ? "focused" : "not focused" } ?? "unavailable"
    }

    private static func alert(_ name: String, _ value: [UInt8]) -> String? {
        guard let row = try? AlertRow(decoding: value) else { return nil }
        let decision = row.decision
        let what =
            switch decision.alert {
            case .now where row.othersRing: "rings on the other devices too"
            case .now where row.firstDevice != nil: "rings on the device in use"
            case .now: decision.overridesSilentSwitch ? "rings, through the silent switch" : "rings"
            case .none: "does not ring"
            case .heldByFocus: "waits for the Focus to end"
            case .heldForSummary: "waits for the summary"
            }
        return "\(name) \(what) (\(decision.reason.rule): \(decision.reason.sentence))"
    }

    private static func route(_ id: String, _ value: [UInt8]) -> String {
        guard let row = try? RouteRow(decoding: value) else { return "route \(id)" }
        let state = row.state == .finished ? "finished" : "open"
        let counts = row.aggregates.counts
        let metres = NumberText.whole(row.aggregates.distance)
        return "route \(id): \(state), \(metres) m, \(counts.accepted) points counted of \(counts.logged)"
    }
}
