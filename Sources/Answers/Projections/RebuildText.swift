import EventStore

/// The result of a rebuild or rollback, for people and for scripts.
package enum RebuildText {
    package static func lines(_ report: RebuildReport, dropped: [Int32], seconds: Double) -> [String] {
        var lines = ["Generation \(report.generation) is shown (before: \(list(report.previous)))."]
        if report.events > 0 {
            let rate = NumberText.whole((Double(report.events) / max(seconds, 1e-3)).rounded(.down))
            lines.append("\(report.events) events folded in \(rounded(seconds)) s, \(rate)/s.")
        }
        lines.append(
            report.usersChanged == 0
                ? "No row came out different: devices get nothing."
                : "\(report.rowsChanged) rows of \(report.usersChanged) users came out different: devices get them, told "
                    + "by \(report.eventsAppended) events.")
        lines.append(
            "Appends waited at most \(milliseconds(report.longestWait)) ms (p99 \(milliseconds(report.p99Wait)) ms) for "
                + "the change of their partition.")
        if !dropped.isEmpty {
            lines.append("Dropped: generation \(list(Set(dropped))).")
        } else if !report.previous.isEmpty {
            lines.append("Kept: generation \(list(report.previous)). `focusctl projections rollback` shows it again.")
        }
        return lines
    }

    package static func json(_ report: RebuildReport, dropped: [Int32], seconds: Double) -> String {
        var json = JSONText()
        json.add("generation", report.generation)
        json.addRaw("previous", array(report.previous.sorted()))
        json.add("events", report.events)
        json.addRaw("seconds", rounded(seconds))
        json.add("usersChanged", report.usersChanged)
        json.add("rowsChanged", report.rowsChanged)
        json.add("eventsAppended", report.eventsAppended)
        json.addRaw("longestWaitMs", milliseconds(report.longestWait))
        json.addRaw("p99WaitMs", milliseconds(report.p99Wait))
        json.addRaw("dropped", array(dropped))
        return json.text
    }

    private static func list(_ generations: Set<Int32>) -> String {
        generations.isEmpty ? "none" : generations.sorted().map(String.init).joined(separator: ", ")
    }

    private static func array(_ generations: [Int32]) -> String {
        "[\(generations.map(String.init).joined(separator: ","))]"
    }

    private static func milliseconds(_ wait: Duration) -> String { rounded(wait / .milliseconds(1)) }

    private static func rounded(_ number: Double) -> String { String((number * 10).rounded() / 10) }
}
