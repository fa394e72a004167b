import FocusCore
import FocusSyncClient

/// The result of a healing: what a log that had lost events got back (rule S6).
enum HealingText {
    static func lines(_ report: HealingReport) -> [String] {
        var lines = ["The log has \(report.events) of this device's events back."]
        for lost in report.lost {
            lines.append("Events \(lost.first) to \(lost.last) are lost: this store does not hold them any more.")
        }
        for refused in report.refused {
            lines.append(
                "Event \(refused.event) was accepted once and is refused now: \(refused.code): \(refused.message)")
        }
        if report.displaced > 0 {
            lines.append("\(report.displaced) more have lost their places, and are sent anew.")
        }
        for conflict in report.conflicts {
            lines.append("The log has other events in the places \(conflict.first) to \(conflict.last).")
        }
        return lines
    }
}
