import Answers
import ArgumentParser
import EventStore
import FocusCore
import PostgresClient
import Programs

/// `focusctl projections status`.
struct ProjectionsStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how far the read model follows the log, and what its tables hold.",
        discussion: """
            The lag in seconds is the age of the first event that the read model
            lacks. Rows are about so many, by PostgreSQL's statistics; --exact counts
            them. They include the traces of deleted rows.

            A generation on its way (a rebuild or rollback that runs, or was
            interrupted) is told at the end, "rebuild" in JSON: its partitions filled
            and shown, its events folded, and whether it can be resumed.

            With --json, one object:
              {"foldVersion":6,"partitions":[{"partition":0,"generation":1,
               "foldVersion":6,"checkpoint":120,"head":120,"lagEvents":0,
               "lagSeconds":0.000,"laggards":0}],"tables":[{"generation":1,
               "table":"badges","rows":7,"bytes":16384}],"rebuild":null,"events":120,
               "lagEvents":0,"lagSeconds":0.000,"laggards":0,"rows":7,"bytes":16384}
            The first foldVersion is this program's; a partition's is null where it is
            not recorded. head is the next event's offset, checkpoint the first that is
            not shown. laggards counts users whose rows lack events. The last six are
            of all partitions and tables, lagSeconds of the one furthest behind.
            rebuild, where there is a generation on its way:
              {"generation":2,"kind":"rebuild","foldVersion":6,"verifies":true,
               "startedAt":"…","partitions":16,"filled":3,"cutOver":0,"events":90000,
               "eventsTotal":120000,"isWorkedOn":false,"canResume":true}
            kind is rebuild or rollback.

            Examples:
              focusctl projections status
              focusctl projections status --json --database postgres://focusd@db/focus

            \(ExitStatus.help)
            """)

    @Flag(help: "Count every row, which takes long on large tables.")
    var exact = false
    @Flag(help: "One JSON object.")
    var json = false
    @OptionGroup var source: DatabaseOptions

    func run() throws {
        let connection = try PostgresConnection(source.configuration("focusctl-projections-status"))
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        let status = try StatusReader().read(log, counting: exact, on: connection)
        if json {
            Terminal.line(ProjectionStatusText.json(status))
        } else {
            ProjectionStatusText.lines(status).forEach(Terminal.line)
        }
    }
}
