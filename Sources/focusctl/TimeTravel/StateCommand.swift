import Answers
import ArgumentParser
import EventStore
import FocusCore
import PostgresClient
import Programs

/// `focusctl state`.
struct StateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Show a user's rows as the log has them now, or had them at any moment.",
        discussion: """
            Read from the read model and the events that it does not show yet, so
            always current. With --at it is folded from the log; states on the way are
            cached beside you, so that asking again is fast.

            With --json, one object per row:
              {"collection":"badges","app":"com.example.chat","key":"","version":7,
               "value":{"count":"1"}}
            app is absent where the row is of none. value is the row's message as
            proto3 JSON (Schema/README.md, "Rows"); for bytes that do not decode, a
            string that says what is wrong with them.

            Examples:
              focusctl state --user $U
              focusctl state --user $U --at 1200
              focusctl state --user $U --at 2026-03-29T01:00:00Z --json
              focusctl state --user $U --app com.example.chat --json

            \(ExitStatus.help)
            """)

    @Option(help: "The user, a UUID.")
    var user: UserID
    @Option(help: "At this version, or at this time of the server's clock (RFC 3339).")
    var at: Moment?
    @Option(help: "Only rows of this app.")
    var app: AppID?
    @Flag(help: "JSON, one row per line.")
    var json = false
    @OptionGroup var source: DatabaseOptions
    @OptionGroup var cache: CacheOptions

    func run() throws {
        let state = try at.map { try past($0) } ?? current()
        (json ? StateText.json(state, of: app) : StateText.lines(state, of: app)).forEach(Terminal.line)
    }

    private func past(_ moment: Moment) throws -> UserState {
        let past = try Past(of: user, source, cache, as: "focusctl-state")
        defer { past.close() }
        return try past.state(at: past.version(moment))
    }

    private func current() throws -> UserState {
        let configuration = try source.configuration("focusctl-state")
        let connection = try PostgresConnection(configuration)
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        let loaded = try UserLoader().load([(log.partition(of: user), user)], on: connection)
        guard let state = try loaded[user]?.get().state else { throw CommandFailure("The user could not be loaded.") }
        guard state.version > .zero else { throw KnownUser.failure(user) }
        OperatorRecord.note("state", of: [user], configuration)
        return state
    }
}
