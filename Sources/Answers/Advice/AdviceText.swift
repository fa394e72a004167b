import FocusCore

/// What a history says about allow lists, for people and for scripts.
package enum AdviceText {
    /// How many changes people are shown.
    private static let shown = 20

    package static func lines(
        _ lines: [FocusAdviceLine], _ promises: [AppID: FocusAdvicePromises], events: Int
    ) -> [String] {
        var text = lines.prefix(shown).flatMap { [sentence($0), "    \($0.change.rule)"] }
        if lines.count > shown { text.append("… and \(lines.count - shown) more, with --json") }
        if lines.isEmpty { text.append("No change of an allow list would have done better: \(events) events.") }
        guard !promises.isEmpty else { return text }
        var table = Table(["TIME SENSITIVE OF", "POSTS", "RANG AT ONCE", "OPENED WITHIN AN HOUR"])
        for (app, count) in promises.sorted(by: { ($1.value.posts, $0.key) < ($0.value.posts, $1.key) }) {
            table.add([app.rawValue, "\(count.posts)", "\(count.rang)", "\(count.opened)"])
        }
        return text + [""] + table.lines
    }

    /// `Anna in Work: 7 of 9 held alerts were opened within a minute of the Focus' end, or before it; 0 were ignored.`
    private static func sentence(_ line: FocusAdviceLine) -> String {
        let (count, place) = (line.count, VisibleText.of("\(line.name) in \(line.focusName)"))
        return line.change.allows
            ? "\(place): \(count.wanted) of \(count.alerts) held alerts were opened within a minute of the Focus' end, "
                + "or before it; \(count.ignored) were ignored."
            : "\(place): \(count.ignored) of \(count.alerts) alerts that came through were ignored; "
                + "\(count.wanted) were opened."
    }

    package static func json(_ line: FocusAdviceLine) -> String {
        var object = JSONText()
        object.add("rule", line.change.rule)
        object.add("focus", line.change.focusID)
        object.add("name", line.name)
        object.add("alerts", line.count.alerts)
        object.add("wanted", line.count.wanted)
        object.add("ignored", line.count.ignored)
        return object.text
    }

    package static func json(_ app: AppID, _ promises: FocusAdvicePromises) -> String {
        var object = JSONText()
        object.add("timeSensitive", app.rawValue)
        object.add("posts", promises.posts)
        object.add("rang", promises.rang)
        object.add("openedWithinAnHour", promises.opened)
        return object.text
    }
}
