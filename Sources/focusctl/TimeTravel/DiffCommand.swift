import Answers
import ArgumentParser
import EventStore
import FocusCore
import FocusSyncClient
import PostgresClient
import Programs

/// `focusctl diff`.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show which of a user's rows differ between two moments, and which events did it.",
        discussion: """
            A row that changed and changed back is no difference. Of each row the last
            \(StateDifference.causeLimit) events are named.

            With --json, one object per row:
              {"collection":"badges","app":"com.example.chat","key":"","before":null,
               "after":{"count":"1"},"events":[{"version":7,"eventId":"…",
               "type":"notification.posted","device":"…","occurredAt":"…",
               "recordedAt":"…"}],"omittedEvents":0}
            app is absent where the row is of none. before and after are as value of
            `focusctl state --json`, and null where there is no row. The server's
            device is the nil UUID. omittedEvents counts the events before those named.

            Examples:
              focusctl diff --user $U --from 1200 --to 1300
              focusctl diff --user $U --from 2026-03-29T01:00:00Z --json

            \(ExitStatus.help)
            """)

    @Option(help: "The user, a UUID.")
    var user: UserID
    @Option(help: "Version, or time of the server's clock (RFC 3339).")
    var from: Moment
    @Option(help: "The same. Default: now.")
    var to: Moment?
    @Option(help: "Only rows of this app.")
    var app: AppID?
    @Flag(help: "JSON, one row per line.")
    var json = false
    @OptionGroup var source: DatabaseOptions
    @OptionGroup var cache: CacheOptions

    func run() throws {
        let past = try Past(of: user, source, cache, as: "focusctl-diff")
        defer { past.close() }
        let (first, last) = (try past.version(from), try to.map { try past.version($0) } ?? past.head)
        guard first <= last else { throw CommandFailure("--from is version \(first), after --to, which is \(last).") }
        let beside = try PostgresConnection(source.configuration("focusctl-diff"))
        defer { beside.close() }
        let difference = try StateDifference(
            of: user, in: past.partition, from: first, to: last, head: past.head, with: past.reader,
            on: past.connection, beside: beside)
        let changes = difference.changes.filter { app == nil || $0.key.app == app }
        if json {
            for change in changes { Terminal.line(DifferenceText.json(change)) }
        } else {
            DifferenceText.lines(changes, difference).forEach(Terminal.line)
        }
    }
}
