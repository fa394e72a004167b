import Answers
import Foundation

/// What an attack has sent and cost.
struct AttackReport {
    var kind = AttackKind.categories
    var seconds = 0.0
    /// How many frames and questions were answered.
    var answers = 0
    /// How many events were refused, and the code of one of them.
    var refused = 0
    var refusal = ""
    /// How many rows came.
    var rows = 0
    /// The attacker's own processor time.
    var processor = ProcessorTime(user: 0, system: 0)

    var json: String {
        var text = JSONText()
        text.add("kind", kind.rawValue)
        text.addRaw("seconds", String(format: "%.6f", seconds))
        text.add("answers", answers)
        text.add("refused", refused)
        text.add("refusal", refusal)
        text.add("rows", rows)
        text.addRaw("cpu_seconds", String(format: "%.3f", processor.total))
        return text.text
    }
}
