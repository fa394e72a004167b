import Answers
import ArgumentParser
import EventStore
import FocusCore
import FocusSyncClient
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
        var rows: [RowChange] = []
        for key in state.rowKeys.sorted() where key.collection.isPublic && (app == nil || key.app == app) {
            guard let row = state.row(key), !row.isDeleted else { continue }
            rows.append(RowChange(key: key, version: row.version, before: nil, after: row.value))
        }
        if json {
            for row in rows { Terminal.line(Self.json(row)) }
        } else {
            Self.table(rows, state.version).forEach(Terminal.line)
        }
    }

    private func past(_ moment: Moment) throws -> UserState {
        let past = try Past(of: user, source, cache, as: "focusctl-state")
        defer { past.close() }
        return try past.state(at: past.version(moment))
    }

    private func current() throws -> UserState {
        let connection = try PostgresConnection(source.configuration("focusctl-state"))
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        let loaded = try UserLoader().load([(log.partition(of: user), user)], on: connection)
        guard let state = try loaded[user]?.get().state else { throw CommandFailure("The user could not be loaded.") }
        guard state.version > .zero else { throw KnownUser.failure(user) }
        return state
    }

    private static func json(_ row: RowChange) -> String {
        var json = JSONText()
        json.add("collection", row.key.collection.rawValue)
        json.add("app", row.key.app?.rawValue)
        json.add("key", row.key.key)
        json.add("version", row.version.rawValue)
        json.addRaw("value", row.after.map { RowText.json(row.key.collection, $0) } ?? "null")
        return json.text
    }

    private static func table(_ rows: [RowChange], _ version: Version) -> [String] {
        var table = Table(["COLLECTION", "APP", "KEY", "VERSION", "VALUE"])
        for row in rows {
            table.add([
                row.key.collection.rawValue, row.key.app?.rawValue ?? "", row.key.key, row.version.description,
                row.after.map { RowText.summary(row.key.collection, $0) } ?? "",
            ])
        }
        return (table.isEmpty ? ["no rows"] : table.lines) + ["version \(version)"]
    }
}
