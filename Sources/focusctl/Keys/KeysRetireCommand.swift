import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import Programs
import Tokens

/// `focusctl keys retire`.
struct KeysRetireCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire", abstract: "Stop accepting the tokens of a key, later or at once.",
        discussion: """
            --after is how long the tokens may still live that it has signed (30d,
            unless `focusctl token --expires` said otherwise): then nobody is shut
            out. When it ends, so do sessions that still rest on it. The key that
            signs cannot be retired: `focusctl keys use` another one first. A key
            that retires already never gets more time.

            Examples:
              focusctl keys retire k-99887766 --after 30d
              focusctl keys retire unnamed --after 30d
              focusctl keys retire k-99887766 --now     # it was stolen

            With --json: {"kid":"k-99887766","status":"retires",
            "endsAt":"2026-12-23T09:00:00.000000Z"}, or "status":"removed"

            \(ExitStatus.help)
            """)

    @Argument(help: "The key's name, as `focusctl keys list` shows it.")
    var kid: String
    @Option(help: "How long its tokens are still accepted, for example 12h or 30d.")
    var after: Lifetime?
    @Flag(help: "Remove it: its tokens and sessions end within 5 seconds.")
    var now = false
    @Flag(help: "JSON.")
    var json = false
    @OptionGroup var options: KeyFileOptions

    func validate() throws {
        guard (after != nil) != now else { throw ValidationError("Give --after 30d, for example, or --now.") }
    }

    func run() throws {
        let found = try options.existing()
        var keys = found.keys.keys
        let index = try found.keys.index(of: kid, in: options.path)
        let rest = keys.indices.filter { $0 != index && keys[$0].retiresAt == nil }
        guard !rest.isEmpty else { throw CommandFailure("No other key would be left. Add one first.") }
        guard index != found.keys.signingIndex else {
            throw CommandFailure("New tokens are signed with \(kid). First: focusctl keys use another one.")
        }
        let asked = after.map { Timestamp.now.adding(microseconds: $0.seconds * 1_000_000) }
        // What retires sooner is not given more time, nor revived.
        let end = asked.map { min($0, keys[index].retiresAt ?? $0) }
        if let end { keys[index].retiresAt = end } else { keys.remove(at: index) }
        try options.replace(found.text, with: keys)
        guard json else {
            let done = "\(kid) is removed. Servers that read \(options.path) end its sessions within 5 s."
            return Terminal.line(end.map { "Tokens of \(kid) are accepted until \($0.rfc3339)." } ?? done)
        }
        var text = JSONText()
        text.addRaw("kid", found.keys.keys[index].id.map(JSONText.string) ?? "null")
        text.add("status", end == nil ? "removed" : "retires")
        text.add("endsAt", end?.rfc3339)
        Terminal.line(text.text)
    }
}
