import Answers
import ArgumentParser
import EventStore
import FocusCore
import FocusSyncClient
import Programs

/// `focusctl timeline`.
struct TimelineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "Tell a user's history: what happened, what was decided, and why.",
        discussion: """
            In the order of the log, with the times that devices reported. Below an event
            stands what it decided or changed: alerts with their reason and rule, badges,
            what apps see of the Focus, routes.

            With --json, one object per event:
              {"version":7,"eventId":"…","type":"notification.posted",
               "app":"com.example.chat","device":"…","occurredAt":"…",
               "recordedAt":"…","text":"…","consequences":[{"collection":"badges",
               "app":"com.example.chat","key":"","value":{"count":"1"},"text":"…"}]}
            app is absent where there is none. The server's device is the nil UUID.
            value is as in `focusctl state --json`, and null where the row is gone. A
            consequence has no text where the event's own says enough.

            Examples:
              focusctl timeline --user $U
              focusctl timeline --user $U --from 2026-03-29T00:00:00Z \\
                --app com.example.chat
              focusctl timeline --user $U --from 1200 --to 1300 --json

            \(ExitStatus.help)
            """)

    @Option(help: "The user, a UUID.")
    var user: UserID
    @Option(help: "After this version, or this time of the server's clock (RFC 3339). Default: the beginning.")
    var from: Moment?
    @Option(help: "Through this version or time. Default: now.")
    var to: Moment?
    @Option(help: "Only what is of this app, or changed something of it.")
    var app: AppID?
    @Flag(help: "JSON, one event per line.")
    var json = false
    @OptionGroup var source: DatabaseOptions
    @OptionGroup var cache: CacheOptions

    func run() throws {
        let past = try Past(of: user, source, cache, as: "focusctl-timeline")
        defer { past.close() }
        let first = try from.map { try past.version($0) } ?? .zero
        let last = try to.map { try past.version($0) } ?? past.head
        guard first <= last else { throw CommandFailure("--from is version \(first), after --to, which is \(last).") }
        var state = try past.state(at: first)
        var watch = TimelineWatch(state)
        try past.reader.fold(&state, in: past.partition, through: last, on: past.connection) { logged, keys, state in
            let event = try logged.decoded()
            let changes = watch.changes(keys, state)
            guard app == nil || event.app == app || changes.contains(where: { $0.key.app == app }) else { return }
            let shown = changes.filter { app == nil || $0.key.app == app }
            if json {
                Terminal.line(TimelineText.json(event, shown))
            } else {
                TimelineText.lines(event, shown).forEach(Terminal.line)
            }
        }
    }
}
