import Answers
import ArgumentParser
import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Programs

/// `focusctl what-if`.
struct WhatIfCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "what-if",
        abstract: "Replay history as if something had been set otherwise, and tell who would have seen what.",
        discussion: """
            Writes nothing. The rule holds from each user's first event on; --from and --to
            say what is told. What was refused stays refused: the log has no more of it;
            so nobody sees what an app would have marketed had it had the consent.

            The rule file, a change per line:
              allow app com.example.chat in work      # or deny; in * is every Focus
              allow person anna@example.com in *
              deny time-sensitive in sleep
              set com.example.chat time-sensitive off # alerts, badges, time-sensitive,
              set * scheduled-delivery on             #   scheduled-delivery; * is every app
              silence on                              # all apps, all the time (N17)
              consent com.example.shop off            # to marketing; * is every app
              route accuracy 20                       # metres, instead of 50

            Effects on alerts: rings (it had not), silenced (it had), sooner, later, other.
            A Focus, an app or a person that no event names is an error.

            With --json or --format json, one object per difference, by its kind:
              {"user":"…","app":"com.example.chat","kind":"alert","effect":"rings",
               "notification":"n1","version":17,"recordedAt":"…",
               "before":{"alert":"heldByFocus","reason":"focus","rule":"N9.4"},
               "after":{"alert":"now","reason":"allowedApp","rule":"N9.6",
               "rangAt":"…"}}
              {"user":"…","app":"…","kind":"badge","before":2,"after":3}
              {"user":"…","app":"…","kind":"route","route":"r1","before":
               {"accepted":90,"dropped":10,"distanceMetres":1234.5},"after":{…}}
            before and after are null where there is no alert, badge or route. rangAt
            is absent where the alert did not ring.

            Examples:
              focusctl what-if --rule chat-at-work.rule
              focusctl what-if --rule r --users $U,$V --from 2026-03-01T00:00:00Z --json
              focusctl what-if --rule r --format csv > differences.csv

            \(ExitStatus.help)
            """)

    @Option(help: "The file that says what is to have been different; - is standard input.")
    var rule: String
    @Option(help: "Only these users, UUIDs separated by commas. Default: all.")
    var users: String?
    @Option(help: "Only alerts that came out otherwise at this time of the server's clock or later (RFC 3339).")
    var from: LogTime?
    @Option(help: "History up to this time (RFC 3339).")
    var to: LogTime?
    @Option(help: "table, json or csv; the last two have one difference per line.")
    var format: WhatIfFormat?
    @Flag(help: "The same as --format json.")
    var json = false
    @OptionGroup var source: DatabaseOptions

    func validate() throws {
        if let from, let to, from.time > to.time { throw ValidationError("--from is after --to.") }
        if json, format != nil { throw ValidationError("Either --json or --format.") }
        _ = try namedUsers()
    }

    func run() throws {
        let rule = try readRule()
        let reader = WhatIfReader(rule, since: from?.time, until: to?.time)
        let configuration = try source.configuration("focusctl-what-if")
        let connection = try PostgresConnection(configuration)
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        let named = try namedUsers()
        for user in named ?? [] { try KnownUser.check(user, in: log, on: connection) }
        try WhatIfNameCheck.check(rule, of: named, in: log, configuration, on: connection, as: self.rule)
        OperatorRecord.note("what-if", of: named, configuration)
        let format = json ? .json : format ?? .table
        if format == .csv { write(csv: WhatIfText.columns) }
        var (tally, skipped) = (WhatIfTally(), SkippedUsers())
        let look = { (partition: Partition, user: UserID) in
            let before = tally
            let isDone = try skipped.unless(user) {
                tally.events += try reader.run(user, in: partition, on: connection) { difference in
                    tally.add(difference, of: user)
                    switch format {
                    case .table: break
                    case .json: Terminal.line(WhatIfText.json(difference, of: user))
                    case .csv: write(csv: WhatIfText.fields(difference, of: user))
                    }
                }
                tally.users += 1
            }
            if !isDone { tally = before }
        }
        if let named {
            for user in named { try look(log.partition(of: user), user) }
        } else {
            let heads = try LogReader().heads(of: log.allPartitions, on: connection)
            try UserSurvey().forEach(heads, showsProgress: format == .table, on: connection, look)
        }
        if format == .table { tally.lines.forEach(Terminal.line) }
        try skipped.finish()
    }

    private func write(csv fields: [String]) { Terminal.write(Array(CSVText.line(fields).utf8)) }

    private func namedUsers() throws -> [UserID]? {
        try users.map { list in
            try list.split(separator: ",", omittingEmptySubsequences: false).map { text in
                guard let user = UserID(text: String(text)) else {
                    throw ValidationError("“\(text)” is no user's UUID.")
                }
                return user
            }
        }
    }

    private func readRule() throws -> WhatIfRule {
        let text: String
        do {
            text =
                try rule == "-"
                ? String(decoding: FileHandle.standardInput.readToEnd() ?? Data(), as: UTF8.self)
                : TextFile.read(rule)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure("\(rule) cannot be read: \(error.localizedDescription)")
        }
        do {
            return try WhatIfRule(parsing: text)
        } catch {
            throw CommandFailure("\(rule), \(error). `focusctl what-if --help` shows the format.")
        }
    }
}
