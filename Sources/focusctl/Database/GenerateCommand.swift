import Answers
import ArgumentParser
import EventStore
import FocusCore
import Foundation
import PostgresClient
import Programs

/// `focusctl generate`.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Fill an empty log with a made-up, realistic history; the same seed makes the same log.",
        discussion: """
            People with several devices and apps, by weekday and hour: bursts of
            notifications, Focus, reads and removals, conversations, preferences, routes,
            late arrivals, refusals. Few people have most of it (Zipf). Every event is
            judged and folded as the server does. The read model is left as it is: focusd
            fills it when it starts.

            For measuring and trying out. Never into a log that devices use: it writes
            users that nobody has.

            With --json, one object:
              {"events":1000000,"users":2000,"seed":1,"seconds":12.500000,
               "eventsPerSecond":80000.0}

            Examples:
              focusctl generate --events 1000000 --users 2000 --seed 1
              focusctl generate --events 10000000 --users 20000 --seed 1 \\
                --database postgres://focusd@localhost/trial

            \(ExitStatus.help)
            """)

    @Option(help: "How many events, 1 to 1000000000.")
    var events = 1_000_000
    @Option(help: "How many users, 1 to 10000000.")
    var users = 2_000
    @Option(help: "Another number makes another history.")
    var seed: UInt64 = 1
    @Option(help: "When it begins (RFC 3339).")
    var start = LogTime(LogPlan(events: 1, users: 1, seed: 0).start)
    @Option(help: "Over how many days it spreads, 1 to 3650.")
    var days = 90
    @Option(help: "Partitions made at the same time, 1 to 64.")
    var threads = max(1, min(8, ProcessInfo.processInfo.activeProcessorCount))
    @Flag(help: "Into a log that holds events already. The users of the seed must be new, and --start after its end.")
    var append = false
    @Flag(help: "Print one JSON object.")
    var json = false
    @OptionGroup var source: DatabaseOptions

    func validate() throws {
        guard (1...1_000_000_000).contains(events) else { throw ValidationError("--events is 1 to 1000000000.") }
        guard (1...10_000_000).contains(users) else { throw ValidationError("--users is 1 to 10000000.") }
        guard (1...3_650).contains(days) else { throw ValidationError("--days is 1 to 3650.") }
        guard (1...64).contains(threads) else { throw ValidationError("--threads is 1 to 64.") }
    }

    func run() throws {
        let configuration = try source.configuration("focusctl-generate")
        var plan = LogPlan(events: events, users: users, seed: seed)
        plan.start = start.time
        plan.days = days
        let display = SharedProgress(total: events, of: "events")
        let began = ContinuousClock.now
        do {
            try LogGenerator(plan, into: StoreConfiguration(configuration, assumesRole: false)).run(
                threads: threads, appends: append, progress: { display.show($0) })
        } catch let error as LogGeneratorError {
            throw CommandFailure(Self.text(error))
        }
        display.clear()
        let seconds = max((ContinuousClock.now - began) / .seconds(1), 1e-6)
        guard json else {
            return Terminal.line(
                String(format: "%d events in %.1f s: %.0f events/s", events, seconds, Double(events) / seconds))
        }
        var text = JSONText()
        text.add("events", events)
        text.add("users", users)
        text.add("seed", seed)
        text.addRaw("seconds", String(format: "%.6f", seconds))
        text.addRaw("eventsPerSecond", String(format: "%.1f", Double(events) / seconds))
        Terminal.line(text.text)
    }

    private static func text(_ error: LogGeneratorError) -> String {
        switch error {
        case .notEmpty:
            "The log is not empty. Make one in a new database, or give --append if it is one to try things out with."
        case .startsTooEarly(let last):
            "The log ends at \(last.rfc3339), and time never goes back in it: give a later --start."
        case .userKnown(let user): "The log has user \(user) of this seed already: give another --seed."
        case .notAlone(let partition):
            "Something else appended to partition \(partition) meanwhile. What was written stays, and the log is not "
                + "what the seed makes: begin again in a new database that nothing else uses."
        }
    }
}
