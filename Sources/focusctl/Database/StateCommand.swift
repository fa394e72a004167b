import ArgumentParser
import EventStore
import FocusCore
import FocusSyncClient
import PostgresClient

/// `focusctl state`.
struct StateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Show a user's rows as the log has them now.",
        discussion: """
            Read from the read model and the events that it does not show yet, so
            always current.

            Examples:
              focusctl state --user $U
              focusctl state --user $U --app com.example.chat --json

            \(ExitStatus.help)
            """)

    @Option(help: "The user, a UUID.")
    var user: UserID
    @Option(help: "Only rows of this app.")
    var app: AppID?
    @Flag(help: "JSON, one row per line.")
    var json = false
    @OptionGroup var source: DatabaseOptions

    func run() throws {
        let connection = try PostgresConnection(source.configuration("focusctl-state"))
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        let loaded = try UserLoader().load([(log.partition(of: user), user)], on: connection)
        guard let state = try loaded[user]?.get().state else { throw CommandFailure("The user could not be loaded.") }
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
