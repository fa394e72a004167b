import Answers
import ArgumentParser
import EventStore
import FocusCore
import PostgresClient
import Programs

/// `focusctl explain`.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say why: which rule decided, from what, and which events led to it.",
        discussion: """
            Folds the user's events from the first one on and watches what matters.
            A final alert is explained by what held when it was decided; everything
            else by what holds now. focusctl rules NAME prints a rule.

            With --json, one object:
              {"subject":{"notification":"n1","class":"phone",
               "app":"com.example.chat"},"version":17,"decision":"heldByFocus",
               "rule":"N9.4","sentence":"…",
               "inputs":[{"name":"…","value":"…","decided":true}],
               "rows":[{"collection":"alerts","app":"com.example.chat","key":"n1",
                "version":12,"value":{…}}],
               "events":[{"version":12,"eventId":"…","type":"notification.posted",
                "app":"com.example.chat","device":"…","occurredAt":"…",
                "recordedAt":"…","changes":[{"change":"added","collection":"alerts",
                "app":"com.example.chat","key":"n1"}]}],"omittedEvents":0}
            subject is {"focusVisibility":true,"app":…}, {"badge":true,"class":…,
            "app":…} or {"preference":"sound","app":…} for the other questions. app is
            absent in rows, events and changes of none. The server's device is the nil
            UUID. change is added, changed, removed, or remembered: devices see no
            difference. value is as in `focusctl state --json`. omittedEvents counts
            earlier events.

            Examples:
              focusctl explain --user $U --app com.example.chat --notification n1
              focusctl explain --user $U --app com.example.chat --notification n1 \\
                --class watch --json
              focusctl explain --user $U --app com.example.chat --focus-visibility
              focusctl explain --user $U --app com.example.chat --badge
              focusctl explain --user $U --app com.example.chat --preference sound

            \(ExitStatus.help)
            """)

    @Option(help: "The user, a UUID.")
    var user: UserID
    @Option(help: "The app.")
    var app: AppID
    @Option(help: "Why did this notification ring, or not?")
    var notification: String?
    @Flag(help: "Why does the app see the user as focused, not focused, or not at all?")
    var focusVisibility = false
    @Flag(help: "Why does the app's icon show that number, or none?")
    var badge = false
    @Option(help: "Why does this preference have its value?")
    var preference: String?
    @Option(name: .customLong("class"), help: "The class of device that it is about: phone, tablet, watch, desktop.")
    var deviceClass = DeviceClass.phone
    @Flag(help: "One JSON object.")
    var json = false
    @OptionGroup var source: DatabaseOptions

    func validate() throws {
        let questions = [notification != nil, focusVisibility, badge, preference != nil].count { $0 }
        guard questions == 1 else {
            throw ValidationError("One of --notification, --focus-visibility, --badge and --preference.")
        }
        guard deviceClass == .phone || notification != nil || badge else {
            throw ValidationError("--class is for --notification and --badge.")
        }
    }

    func run() throws {
        let configuration = try source.configuration("focusctl-explain")
        let connection = try PostgresConnection(configuration)
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        let explanation = try InquiryReader().explain(subject, of: user, in: log.partition(of: user), on: connection)
        guard explanation.version > .zero else { throw KnownUser.failure(user) }
        OperatorRecord.note("explain", of: [user], configuration)
        if json {
            Terminal.line(ExplanationText.json(explanation))
        } else {
            ExplanationText.lines(explanation).forEach(Terminal.line)
        }
    }

    private var subject: ExplanationSubject {
        if let notification { return .notification(notification, app, deviceClass) }
        if let preference { return .preference(preference, app) }
        return badge ? .badge(app, deviceClass) : .focusVisibility(app)
    }
}
