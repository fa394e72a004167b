import Answers
import FocusCore
import FocusSyncClient
import Programs

/// Reports what became of each line of `focusctl append`. Used by one task.
final class AppendReport {
    private(set) var malformed = 0
    private(set) var refused = 0
    /// The first line that is not in the queue; nil: all that were read are.
    var unqueued: Int?

    func malformed(_ line: Int, _ error: EventLineError) {
        malformed += 1
        Terminal.complain("line \(line): \(error)")
        var json = JSONText()
        json.add("line", line)
        json.add("status", "malformed")
        json.add("message", error.description)
        Terminal.line(json.text)
    }

    /// Waits for the log's answer and prints it.
    func answer(_ waiting: (submission: Submission, lines: [Int])) async throws {
        for (index, outcome) in try await waiting.submission.outcomes().enumerated() {
            var json = JSONText()
            if index < waiting.lines.count {
                json.add("line", waiting.lines[index])
            } else {
                json.add("resent", true)
            }
            json.add("seq", outcome.sequence.rawValue)
            json.add("eventId", outcome.event.description)
            json.add("type", outcome.type)
            switch outcome.verdict {
            case .accepted: json.add("status", "accepted")
            case .refused(let code, let message):
                refused += 1
                json.add("status", "refused")
                json.add("code", code)
                json.add("message", message)
            }
            json.add("version", outcome.version.rawValue)
            Terminal.line(json.text)
        }
    }

    /// - Parameter next: the first line that was not read; nil: there is none.
    func complainOfUnread(_ next: Int?) {
        guard let line = unqueued ?? next else { return }
        Terminal.complain("Line \(line) and those behind it were not taken: append them again.")
    }

    func complainOfUnsent(_ count: Int?) {
        guard let count, count > 0 else { return }
        Terminal.complain(
            "\(count) events are not in the log yet; the next `focusctl append` with this --state sends them.")
    }
}
