import ArgumentParser
import EventStore
import FocusCore
import Foundation
import PostgresClient
import Programs

/// `focusctl psql`.
struct PsqlCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "psql",
        abstract: "Ask the log's database SQL, as a role that only reads.",
        discussion: """
            Runs PostgreSQL's psql on the right server and database. The views of the
            read model come first (schema read: the generation that is shown). What it
            may read: Schema/README.md, "SQL for analysts".

            The role may read the log and the read model, and change nothing. With
            focusd's own PostgreSQL psql logs in as that role. With --database it
            begins as your role and becomes that one, so that mistakes change nothing;
            who must not be able to write gets a role of their own that is a member of
            it (GRANT focusd_read_focus TO olga), and names it in --database.
            --owner asks as the log's owner, who may change anything.

            What stands behind -- is psql's.

            Examples:
              focusctl psql
              focusctl psql --command 'SELECT count(*) FROM events'
              focusctl psql --database postgres://olga@db/focus -- --csv --file q.sql

            Exit codes: psql's (0 done, 1 failed, 2 no connection, 3 a script failed).
            """)

    @Option(name: [.long, .customShort("c")], help: "Run this command and end; may be given several times.")
    var command: [String] = []
    @Flag(help: "As the log's owner, who may change anything.")
    var owner = false
    @OptionGroup var source: DatabaseOptions
    @Argument(parsing: .postTerminator, help: "Options of psql.")
    var arguments: [String] = []

    func run() throws {
        let access = try SQLAccess(source, asOwner: owner)
        let psql = try Self.program()
        OperatorRecord.note(owner ? "psql --owner" : "psql", of: nil, try source.configuration("focusctl-psql"))
        setenv("PGAPPNAME", "focusctl-psql", 1)
        if let options = access.options { setenv("PGOPTIONS", options, 1) }
        if let password = access.password { setenv("PGPASSWORD", password, 1) }
        let words =
            ["psql", "--dbname=\(access.conninfo)"] + command.flatMap { ["--command", $0] } + arguments
        let argv = words.map { strdup($0) } + [nil]
        // The program takes this one's place, so signals and the terminal are its own.
        execv(psql, argv)
        throw CommandFailure("\(psql) cannot be run: \(String(cString: strerror(errno))).")
    }

    /// The path of `psql`. Throws `CommandFailure` when it is not installed.
    private static func program() throws -> String {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let installed = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: installed)) ?? [])
            .sorted { ($0 as NSString).intValue > ($1 as NSString).intValue }
        let places = path.split(separator: ":").map(String.init) + versions.map { "\(installed)/\($0)/bin" }
        guard let place = places.first(where: { access($0 + "/psql", X_OK) == 0 }) else {
            throw CommandFailure("psql is not installed (Debian: apt install postgresql-client).")
        }
        return place + "/psql"
    }
}
