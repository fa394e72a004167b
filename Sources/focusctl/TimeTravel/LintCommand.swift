import Answers
import ArgumentParser
import EventStore
import FocusCore
import PostgresClient
import Programs

/// `focusctl lint`.
struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Ask the log whether an app notifies as the guidelines ask it to.",
        discussion: """
            The questions, each told with what is better and the events that show it:

            \(LintQuestion.allCases.map { "  \($0.rawValue)" }.joined(separator: "\n"))

            That something was found is an answer, not a failure: the exit code is 0.

            With --json, one object per finding:
              {"question":"same-content-again","user":"…","version":17,"eventId":"…",
               "occurredAt":"…","about":"n2","earlierEventId":"…"}
            about is the notification's id, or the category's, with the action's behind
            a slash. earlierEventId, the event that posted the same content before, is
            absent for other questions.

            Examples:
              focusctl lint --app com.example.chat
              focusctl lint --app com.example.chat --user $U --json

            \(ExitStatus.help)
            """)

    @Option(help: "The app.")
    var app: AppID
    @Option(help: "Only this user. Default: all.")
    var user: UserID?
    @Flag(help: "JSON, one finding per line, without a limit.")
    var json = false
    @OptionGroup var source: DatabaseOptions

    func run() throws {
        let configuration = try source.configuration("focusctl-lint")
        let connection = try PostgresConnection(configuration)
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        OperatorRecord.note("lint", of: user.map { [$0] }, configuration)
        var (tally, skipped) = (LintTally(), SkippedUsers())
        let look = { (partition: Partition, user: UserID) in
            let before = tally
            let isDone = try skipped.unless(user) {
                var lint = AppLint(app)
                let tell = { (finding: LintFinding) in
                    if json { Terminal.line(LintTally.json(finding, of: user)) } else { tally.add(finding, of: user) }
                }
                try LogReader().forEachDecoded(of: user, partition: partition, on: connection) { (event: Event) in
                    lint.apply(event).forEach(tell)
                    return true
                }
                lint.finish().forEach(tell)
                tally.users += 1
            }
            if !isDone { tally = before }
        }
        if let user {
            try KnownUser.check(user, in: log, on: connection)
            try look(log.partition(of: user), user)
        } else {
            let heads = try LogReader().heads(of: log.allPartitions, on: connection)
            try UserSurvey().forEach(heads, showsProgress: !json, on: connection, look)
        }
        if !json { tally.lines.forEach(Terminal.line) }
        try skipped.finish()
    }
}
