import Answers
import ArgumentParser
import EventStore
import FocusCore
import PostgresClient
import Programs

/// `focusctl advise`.
struct AdviseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advise",
        abstract: "Tell from a user's history which changes of a Focus' allow lists would have done better.",
        discussion: """
            Of each alert that a Focus held: was it opened while the Focus was on, or
            within a minute of its end? Then it would have been welcome in time. Of
            each that an allow list let through: was it left unread for a day? Then it
            could have waited. Below a change stands its line for a rule file of
            focusctl what-if, which shows all that it would have changed. Writes nothing.

            The table at the end says what became of what was time sensitive.

            With --json, one object per change, and then one per app that posted
            something time sensitive:
              {"rule":"allow person anna@example.com in work","focus":"work",
               "name":"Anna","alerts":9,"wanted":7,"ignored":0}
              {"timeSensitive":"com.example.chat","posts":12,"rang":9,
               "openedWithinAnHour":4}
            rule is the line for a rule file. alerts counts those that the change is
            about. wanted are those of them that were opened (held ones: in time),
            ignored those that were unread for a day or removed unread. posts are the
            app's time-sensitive ones, rang those that rang at once.

            Examples:
              focusctl advise --user $U
              focusctl advise --user $U --json

            \(ExitStatus.help)
            """)

    @Option(help: "The user, a UUID.")
    var user: UserID
    @Flag(help: "JSON, one change or app per line, without a limit.")
    var json = false
    @OptionGroup var source: DatabaseOptions

    func run() throws {
        let configuration = try source.configuration("focusctl-advise")
        let connection = try PostgresConnection(configuration)
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        try KnownUser.check(user, in: log, on: connection)
        OperatorRecord.note("advise", of: [user], configuration)
        var advice = FocusAdvice(user)
        try LogReader().forEachDecoded(of: user, partition: log.partition(of: user), on: connection) { (event: Event) in
            try advice.apply(event)
            return true
        }
        let lines = advice.finish()
        guard json else {
            return AdviceText.lines(lines, advice.promises, events: advice.events).forEach(Terminal.line)
        }
        for line in lines { Terminal.line(AdviceText.json(line)) }
        for (app, promises) in advice.promises.sorted(by: { $0.key < $1.key }) {
            Terminal.line(AdviceText.json(app, promises))
        }
    }
}
