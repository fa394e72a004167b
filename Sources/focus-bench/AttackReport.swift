import Answers
import Foundation

/// What an attack has sent and cost.
struct AttackReport {
    var kind = AttackKind.categories
    var seconds = 0.0
    /// How many frames and questions were sent, and how many answered.
    var sent = 0
    var answers = 0
    /// How many events were refused.
    var refused = 0
    /// The code of the last error that answered a question; empty without one.
    var error = ""
    /// How many rows came.
    var rows = 0
    /// The attacker's own processor time.
    var processor = ProcessorTime(user: 0, system: 0)

    var json: String {
        var text = JSONText()
        text.add("kind", kind.rawValue)
        text.addRaw("seconds", String(format: "%.6f", seconds))
        text.add("sent", sent)
        text.add("answers", answers)
        text.add("refused", refused)
        text.add("error", error)
        text.add("rows", rows)
        text.addRaw("cpu_seconds", String(format: "%.3f", processor.total))
        return text.text
    }
}
