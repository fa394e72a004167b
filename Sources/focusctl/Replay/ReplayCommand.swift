import ArgumentParser
import EventStore
import FocusCore
import Foundation
import PostgresClient
import Programs
import Synchronization

/// `focusctl replay`.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Read the log again, as one stream in the order of recording; changes nothing.",
        discussion: """
            What is in the log when it starts is what is read. A slow reader of the output
            slows down nothing but the replay. With --checkpoint it goes on where the file
            says it got to, at the same end or after any crash: events are given at least
            once, and after SIGINT or a plain end exactly once. When the reader takes
            nothing for 2 s after SIGINT, the last event may be cut off; it is then given
            again, whole. Append to the output of before (>>): NDJSON and CSV go on behind
            its last whole line. A log that lost its end since is told of (exit code 3): a
            standby was promoted, or a backup restored.

            --parallel reads partitions side by side: faster, each user's events in their
            order, users in none. Recipes for DuckDB, pandas, psql and logical replication:
            Schema/RECIPES.md.

            --pseudonymize hides who users, devices and people are (their ids, handles
            and names, and conversations), the same for the same key. Apps, times,
            places and the texts of notifications and preferences stay. --user and
            --device take the real ids.

            Examples:
              focusctl replay --type focus.changed --type focus.expired
              focusctl replay --user $U --follow
              focusctl replay --since 2026-03-01T00:00:00Z --format csv > march.csv
              focusctl replay --checkpoint last --format csv >> events.csv
              focusctl replay --format binary --parallel 4 > events.bin
              focusctl replay --pseudonymize export.key --format csv > export.csv
              focusctl replay --from 0:1200,3:88 --database postgres://focusd@db/focus

            \(ExitStatus.help)
            """)

    @Option(help: "Where to begin: partition:offset,… Partitions that it does not name are left out.")
    var from: PositionVector?
    @Option(help: "Only what was recorded at this time or later (RFC 3339).")
    var since: LogTime?
    @Option(help: "Only what was recorded before this time (RFC 3339).")
    var until: LogTime?
    @Option(help: "Only this type of event; may be given several times.")
    var type: [EventType] = []
    @Option(help: "Only events of this app; may be given several times.")
    var app: [AppID] = []
    @Option(help: "Only events of this device; may be given several times. The server's: the nil UUID.")
    var device: [DeviceID] = []
    @Option(help: "Only this user's events. Without --follow there must be some.")
    var user: UserID?
    @Option(help: "ndjson, csv, or binary: PostgreSQL's COPY.")
    var format = ReplayFormat.ndjson
    @Option(help: "Read so many partitions side by side, 1 to 64, instead of one stream.")
    var parallel: Int?
    @Option(help: "File that keeps the position. When it is there, the replay goes on from it, and --from is not used.")
    var checkpoint: String?
    @Flag(help: "Stay, and show events as they come, until SIGINT.")
    var follow = false
    @Option(help: "Give users, devices and people other names, made with the key in this file.")
    var pseudonymize: String?
    @OptionGroup var source: DatabaseOptions

    func validate() throws {
        if let parallel, !(1...64).contains(parallel) { throw ValidationError("--parallel is 1 to 64.") }
        if follow, until != nil { throw ValidationError("Either --follow or --until.") }
        if let since, let until, since.time > until.time { throw ValidationError("--since is after --until.") }
    }

    func run() throws {
        let pseudonyms = try pseudonymize.map(ReplayPseudonyms.init)
        let configuration = try source.configuration("focusctl-replay")
        let connection = try PostgresConnection(configuration)
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        // Whoever follows may wait for the user's first event.
        if let user, !follow { try KnownUser.check(user, in: log, on: connection) }
        OperatorRecord.note("replay", of: user.map { [$0] }, configuration)
        let file = checkpoint.map { ReplayCheckpoint(path: $0, log: log.log, database: configuration) }
        try file?.check()
        let resumed = try file?.read(on: connection)
        let plan = ReplayPlan(since: since?.time, until: until?.time, user: user)
        let ranges = try plan.ranges(from: resumed ?? from, log, isResumed: resumed != nil, on: connection)
        let start = PositionVector(
            Dictionary(uniqueKeysWithValues: ranges.map { ($0.partition, $0.offsets.lowerBound) }))
        let isWatched = isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 0 && !follow
        let sink = ReplaySink(
            from: start, checkpoint: file, total: isWatched ? ranges.reduce(0) { $0 + $1.count } : nil)
        let interruption = Interruption { sink.interrupt() }
        defer { withExtendedLifetime(interruption) {} }
        let store = StoreConfiguration(configuration, assumesRole: false)
        let filter = ReplayFilter(types: Set(type), apps: Set(app), devices: Set(device), user: user)
        let run = ReplayRun(
            store: store, filter: filter, format: format, pseudonyms: pseudonyms,
            sink: sink)
        if resumed != nil, format != .binary { try sink.removeUnfinishedLine() }
        do {
            // A resumed replay is appended to output that has its header already.
            if resumed == nil || format == .binary { try sink.deliver(format.header) }
            try run.run(ranges, parallel: parallel)
            while follow, !sink.isInterrupted {
                Thread.sleep(forTimeInterval: Self.pollSeconds)
                try run.run(plan.news(past: sink.vector, on: connection), parallel: parallel)
            }
            try sink.deliver(format.trailer)
        } catch is ReplaySink.Interrupted {
            try sink.save()
            guard !follow else { return }
            throw CommandFailure("Interrupted. \(Self.next(sink.vector, file))")
        } catch is DataOutput.Stuck {
            try sink.save()
            throw CommandFailure(
                "Interrupted while the reader took nothing: the last event may be cut off. "
                    + "\(Self.next(sink.vector, file)), with that event.")
        }
        try sink.save()
    }

    /// How often `--follow` looks for new events, in seconds.
    private static let pollSeconds = 0.25

    private static func next(_ vector: PositionVector, _ file: ReplayCheckpoint?) -> String {
        file.map { "The same command goes on from \($0.path)" } ?? "Go on with --from \(vector)"
    }
}

extension PositionVector: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
