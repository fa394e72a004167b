import EventStore
import FocusCore

/// Differences of two states, for people and for scripts.
package enum DifferenceText {
    package static func lines(_ changes: [StateDifference.Change], _ difference: StateDifference) -> [String] {
        var lines: [String] = []
        for change in changes {
            let name = [change.key.collection.rawValue, change.key.app?.rawValue, change.key.key]
            lines.append(name.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " "))
            if let before = change.before { lines.append("  - \(RowText.summary(change.key.collection, before))") }
            if let after = change.after { lines.append("  + \(RowText.summary(change.key.collection, after))") }
            if change.omittedCauses > 0 { lines.append("    … and \(change.omittedCauses) earlier events") }
            for cause in change.causes {
                lines.append("    \(cause.version) \(cause.type) \(cause.occurredAt.rfc3339)")
            }
        }
        return lines + ["\(changes.count) rows differ between version \(difference.from) and \(difference.to)"]
    }

    package static func json(_ change: StateDifference.Change) -> String {
        var json = JSONText()
        json.add("collection", change.key.collection.rawValue)
        json.add("app", change.key.app?.rawValue)
        json.add("key", change.key.key)
        json.addRaw("before", change.before.map { RowText.json(change.key.collection, $0) } ?? "null")
        json.addRaw("after", change.after.map { RowText.json(change.key.collection, $0) } ?? "null")
        let causes = change.causes.map { cause in
            var json = JSONText()
            json.add("version", cause.version.rawValue)
            json.add("eventId", cause.event.description)
            json.add("type", cause.type)
            json.add("device", cause.device.description)
            json.add("occurredAt", cause.occurredAt.rfc3339)
            json.add("recordedAt", cause.recordedAt.rfc3339)
            return json.text
        }
        json.addRaw("events", "[\(causes.joined(separator: ","))]")
        json.add("omittedEvents", change.omittedCauses)
        return json.text
    }
}
