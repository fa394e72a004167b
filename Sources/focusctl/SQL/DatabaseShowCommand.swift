import Answers
import ArgumentParser
import EventStore
import FocusCore
import PostgresClient
import Programs

/// `focusctl database show`.
struct DatabaseShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show where the log's database is, its roles, its size and its log.",
        discussion: """
            With --json, one object:
              {"embedded":false,"host":"…","port":5432,"database":"focus",
               "role":"…","serverRole":"…","readerRole":"…","postgres":"15.8",
               "bytes":189000000,"log":"…","partitions":16,"format":4}
            embedded says whether PostgreSQL is focusd's own. host is its address, or
            the directories of its sockets. role is who asked, serverRole whom servers
            act as. readerRole is absent where there is none. log is the log's id.

            Examples:
              focusctl database show
              focusctl database show --json --database postgres://focusd@db/focus

            \(ExitStatus.help)
            """)

    @Flag(help: "One JSON object.")
    var json = false
    @OptionGroup var source: DatabaseOptions

    func run() throws {
        let connection = try PostgresConnection(source.configuration("focusctl-database"))
        defer { connection.close() }
        let database = try LogDatabase.read(on: connection)
        let log = try LogIdentity.read(on: connection)
        guard json else {
            var table = Table(["", ""])
            for (name, value) in facts(database, log) { table.add([name, value]) }
            return table.lines.dropFirst().forEach(Terminal.line)
        }
        var text = JSONText()
        text.add("embedded", source.embeddedDirectory != nil)
        text.add("host", database.host)
        text.add("port", database.port)
        text.add("database", database.name)
        text.add("role", database.role)
        text.add("serverRole", database.serverRole)
        text.add("readerRole", database.readerRole)
        text.add("postgres", database.version)
        text.add("bytes", database.bytes)
        text.add("log", log.log.description)
        text.add("partitions", database.partitions)
        text.add("format", database.format)
        Terminal.line(text.text)
    }

    private func facts(_ database: LogDatabase, _ log: LogIdentity) -> [(String, String)] {
        let place = source.embeddedDirectory.map { "focusd's own, in \($0)" } ?? "of the operator"
        return [
            ("PostgreSQL", "\(database.version), \(place)"), ("host", database.host), ("port", "\(database.port)"),
            ("database", "\(database.name), \(database.bytes >> 20) MiB"), ("connected as", database.role),
            ("servers act as", database.serverRole),
            ("for reading", database.readerRole ?? "no role: its owner could make none"),
            ("log", "\(log.log), \(database.partitions) partitions, format \(database.format)"),
        ]
    }
}
