import EventStore
import FocusCore

/// Acknowledged events that the log lost and that no device holds any more (rule S6): a table for people.
package struct LostText {
    private var table = Table(["user", "device", "incarnation", "events", "recorded"])
    private var count: Int64 = 0

    package init() {}

    /// Adds what a device declared lost.
    /// - Parameter event: the event that says so, as the log has it.
    package mutating func add(_ lost: DeviceEventsLost, _ event: LoggedEvent) {
        let (sum, overflow) = count.addingReportingOverflow(lost.last.rawValue - lost.first.rawValue + 1)
        count = overflow ? .max : sum
        table.add([
            event.user.description, event.device.description, String(event.incarnation.rawValue),
            "\(lost.first)–\(lost.last)", event.recordedAt.rfc3339,
        ])
    }

    package var lines: [String] {
        (table.isEmpty ? [] : table.lines)
            + [count == 0 ? "Nothing is known to be lost." : "\(count) events are lost."]
    }
}
