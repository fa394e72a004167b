import Answers
import ArgumentParser
import EventStore
import FocusCore
import PostgresClient
import Programs

/// `focusctl projections verify`.
struct ProjectionsVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Fold users' events afresh and compare the read model with them, row by row.",
        discussion: """
            Changes nothing, and may run while devices append. Compares each user at
            the version that the read model shows. A difference says which row it is,
            what the read model has, what the events make, and since which event.
            "memo" is what the server remembers beside what devices see.
            The typed columns for SQL are not compared.

            With --json, one object per user that differs, and one at the end:
              {"user":"…","partition":3,"generation":1,"version":17,
               "verdict":"different","differingRows":1,"rows":[{"kind":"changed",
               "collection":"badges","app":"com.example.chat","key":"",
               "differs":["value"],"since":12,"partedAt":null,"events":ROW,
               "readModel":ROW}]}
              {"user":"…","partition":3,"generation":1,"version":17,
               "verdict":"unfoldable","foldedThrough":12,"reason":"…"}
              {"users":100,"differing":2,"differingRows":1,"equalRows":5900,"seed":7}
            ROW is null where there is no row, and else:
              {"version":12,"deleted":false,"value":{"count":"1"},"valueBase64":"…",
               "memoBase64":"…"}
            rows has at most 100. kind is changed, missing (in the read model) or
            extra. differs has some of version, deleted, value and memo. since is the
            event that made the row what it is, partedAt the first after which it was
            no longer what the read model has; each is null where there is none. app is
            absent where the row is of none, value where it is empty.

            These are there only where they hold: lacksEvent (the checkpoint is past
            this event, and the rows lack it), logEndsAt (the last event, and the rows
            show more), both before differingRows; "digestsDiffer":true, rowsOfNoApp (a
            list of collection, app and key), both behind rows; seed, with --sample.

            Examples:
              focusctl projections verify --user $U
              focusctl projections verify --sample 100 --seed 7
              focusctl projections verify --all --json --data-dir /var/lib/focusd

            \(ExitStatus.help)
            """)

    @Option(help: "Verify this user.")
    var user: UserID?
    @Option(help: "Verify so many users, chosen by chance.")
    var sample: Int?
    @Option(help: "Chooses the sample; the same users for the same seed. Default: another each time.")
    var seed: UInt64?
    @Flag(help: "Verify every user.")
    var all = false
    @Flag(help: "JSON: one object for each user that differs, and one at the end.")
    var json = false
    @OptionGroup var source: DatabaseOptions

    func validate() throws {
        guard [user != nil, sample != nil, all].count(where: { $0 }) == 1 else {
            throw ValidationError("One of --user, --sample and --all.")
        }
        if let sample, !(1...1_000_000).contains(sample) { throw ValidationError("--sample is 1 to 1000000 users.") }
        guard seed == nil || sample != nil else { throw ValidationError("--seed is for --sample.") }
    }

    func run() throws {
        let configuration = try source.configuration("focusctl-projections-verify")
        let connection = try PostgresConnection(configuration)
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        let heads = try LogReader().heads(of: log.allPartitions, on: connection)
        let survey = UserSurvey()
        var tally = VerificationTally()
        if let user {
            OperatorRecord.note("projections verify", of: [user], configuration)
            try verify(user, log.partition(of: user), &tally, nil, on: connection)
            // Rows of a user who is not in the log are a difference. No rows and no user in the log mean a misspelt id.
            if tally.differing == 0, tally.equalRows == 0 { try KnownUser.check(user, in: log, on: connection) }
        } else if let sample {
            let seed = seed ?? .random(in: 0...UInt64(UInt32.max))
            tally.seed = seed
            let chosen = try survey.sample(sample, seed: seed, of: heads, on: connection)
            let display = SharedProgress(total: chosen.count, of: "users")
            defer { display.clear() }
            for (partition, user) in chosen { try verify(user, partition, &tally, display, on: connection) }
        } else {
            var count = 0
            try survey.forEach(heads, on: connection) { _, _ in count += 1 }
            let display = SharedProgress(total: count, of: "users")
            defer { display.clear() }
            try survey.forEach(heads, on: connection) { try verify($1, $0, &tally, display, on: connection) }
        }
        Terminal.line(json ? tally.json : tally.text)
        if tally.differing > 0 {
            throw IntegrityFailure("\(tally.differing) of \(tally.users) users are not as their events make them.")
        }
    }

    private func verify(
        _ user: UserID, _ partition: Partition, _ tally: inout VerificationTally, _ display: SharedProgress?,
        on connection: PostgresConnection
    ) throws {
        let found = try UserVerifier().verify(user, in: partition, on: connection)
        switch found.verdict {
        case .equal: break
        case .different, .unfoldable:
            display?.clear()
            if json {
                Terminal.line(VerificationText.json(found))
            } else {
                VerificationText.lines(found).forEach(Terminal.line)
            }
        case .otherFold(let version):
            let fold = version.map(String.init) ?? "unknown"
            throw CommandFailure(
                "Generation \(found.generation) of the read model is filled by fold \(fold), this program has fold "
                    + "\(FocusCore.foldVersion). Verify it with a focusctl of that fold.")
        }
        tally.add(found.verdict)
        display?.show(tally.users)
    }
}
