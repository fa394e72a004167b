import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

/// `focusctl psql` and `database` with the real psql, on focusd's own PostgreSQL and on the operator's.
@Suite("focusctl psql", .fewAtATime) struct PsqlTests {
    private struct Told {
        var code: Int32?
        var output: String
        var errors: String
    }

    private func run(_ arguments: [String], program: String? = nil) async throws -> Told {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let child = try ChildProcess(
            program ?? FocusdProcess.binary("focusctl"), arguments, environment: ["PGCONNECT_TIMEOUT": "20"],
            input: "/dev/null", errors: place + "/errors")
        let output = await child.rest()
        let code = await child.exitCode()
        return Told(
            code: code, output: output.trimmingCharacters(in: .whitespacesAndNewlines),
            errors: try String(contentsOfFile: place + "/errors", encoding: .utf8))
    }

    private func ask(_ sql: String..., of log: [String], owner: Bool = false) async throws -> Told {
        try await run(
            ["psql"] + log + (owner ? ["--owner"] : []) + sql.flatMap { ["-c", $0] }
                + ["--", "--no-align", "--tuples-only", "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1"])
    }

    @Test("psql on focusd's own PostgreSQL reads the log and the shown generation, and can do nothing else")
    func embedded() async throws {
        let server = try await FocusdProcess()
        let commands = FocusctlCommands(server: server, user: .random())
        let focus = #"{"type":"focus.configured","payload":{"focusId":"w","name":"W"}}"#
        _ = try await commands.succeed(["append"] + commands.device("phone", .random()), input: focus)
        let log = ["--data-dir", server.directory]
        let count = try await ask("SELECT count(*) FROM events", of: log)
        #expect(count.code == 0 && count.output == "2", "\(count.errors)")
        for sql in [
            "SELECT count(*) >= 0 FROM focuses", "SELECT count(*) >= 0 FROM read.backups",
            "SELECT count(*) = 16 FROM log_partitions", "SELECT current_user = session_user",
            "SELECT current_setting('default_transaction_read_only') = 'on'",
            "SELECT count(*) >= 0 FROM read_1.badges",
        ] {
            let told = try await ask(sql, of: log)
            #expect(told.code == 0 && told.output == "t", "\(sql): \(told.output) \(told.errors)")
        }
        try await expectPowerless(log)
        // The switch against mistakes can be turned off. The role has no right to write all the same.
        let off = "SET default_transaction_read_only = off"
        for sql in ["INSERT INTO backups (tool, began_at) VALUES ('x', now())", "DELETE FROM read_1.badges"] {
            let told = try await ask(off, sql, of: log)
            #expect(told.code != 0 && told.errors.contains("permission denied"), "\(told.errors)")
        }
        let owner = try await ask("SELECT count(*) > 0 FROM pg_authid", of: log, owner: true)
        #expect(owner.code == 0 && owner.output == "t", "\(owner.errors)")

        let url = try await run(["database", "url"] + log)
        #expect(url.code == 0 && url.output.contains("focusd_read_focusd"), "\(url.errors)")
        let direct = try await run(
            [url.output, "-Atc", "SELECT current_user, count(*) FROM events"], program: Self.psql)
        #expect(direct.output == "focusd_read_focusd|2", "\(direct.errors)")
        let shown = try await run(["database", "show"] + log)
        #expect(shown.code == 0 && shown.output.contains("focusd's own, in \(server.directory)"), "\(shown.output)")
        let json = try await run(["database", "show", "--json"] + log)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(object["readerRole"] as? String == "focusd_read_focusd" && object["partitions"] as? Int == 16)
        await server.remove()
    }

    private static let psql =
        ["/usr/bin/psql", "/bin/psql"].first { FileManager.default.isExecutableFile(atPath: $0) } ?? "psql"

    /// Nothing can be written, no other role taken, no program run, no secret read.
    private func expectPowerless(_ log: [String]) async throws {
        let (off, denied) = ("SET default_transaction_read_only = off", "permission denied")
        for (sql, reason) in [
            ("INSERT INTO events SELECT * FROM events", denied), ("UPDATE log_partitions SET next_offset = 0", denied),
            ("TRUNCATE events", denied), ("DROP TABLE events", "must be owner"),
            ("ALTER TABLE events DISABLE TRIGGER ALL", "must be owner"), ("SET ROLE focusd", denied),
            ("SET ROLE focusd_app_focusd", denied), ("SET SESSION AUTHORIZATION focusd", denied),
            ("CREATE FUNCTION public.f() RETURNS int LANGUAGE sql AS 'SELECT 1'", denied),
            ("CREATE TABLE read.t (a int)", denied), ("CREATE ROLE other SUPERUSER", "must be superuser"),
            ("ALTER ROLE focusd_read_focusd SUPERUSER", "must be superuser"),
            ("COPY events TO PROGRAM 'cat'", "pg_execute_server_program"),
            ("COPY (SELECT 1) TO '/tmp/out'", "pg_write_server_files"),
            ("SELECT * FROM pg_authid", denied), ("SELECT pg_read_file('/etc/passwd')", denied),
            ("SELECT * FROM operator_actions", denied), ("DELETE FROM operator_actions", denied),
            ("SELECT drop_generation(1)", "cannot be dropped"),
        ] {
            let told = try await ask(off, sql, of: log)
            #expect(told.code != 0 && told.errors.contains(reason), "\(sql): \(told.output) \(told.errors)")
        }
        let mistake = try await ask("CREATE TEMP TABLE t AS SELECT 1", "DELETE FROM t; DELETE FROM events", of: log)
        #expect(mistake.code != 0)
    }

    @Test("psql on the operator's PostgreSQL becomes the role that reads; a member of it can do nothing else")
    func external() async throws {
        let conninfo = try await onThread { try TestCluster.shared.makeDatabase() }
        let made = try await run(["migrate", "--partitions", "4", "--database", conninfo])
        #expect(made.code == 0, "\(made.errors)")
        let log = ["--database", conninfo]
        let told = try await ask("SELECT current_user LIKE 'focusd_read_%', count(*) FROM events", of: log)
        #expect(told.code == 0 && told.output == "t|0", "\(told.errors)")
        let write = try await ask("DELETE FROM log_partitions", of: log)
        #expect(write.code != 0 && write.errors.contains("read-only transaction"), "\(write.errors)")
        let denied = try await ask(
            "SET default_transaction_read_only = off", "DELETE FROM log_partitions", of: log)
        #expect(denied.code != 0 && denied.errors.contains("permission denied"), "\(denied.errors)")
        let owner = try await ask("SELECT current_user NOT LIKE 'focusd_read_%'", of: log, owner: true)
        #expect(owner.output == "t", "\(owner.errors)")
        let url = try await run(["database", "url"] + log)
        let direct = try await run(
            [url.output, "-Atc", "SELECT current_user LIKE 'focusd_read_%', current_setting('search_path')"],
            program: Self.psql)
        #expect(direct.output == "t|read,public", "\(url.output): \(direct.errors)")
    }

    @Test("A log whose owner may make no role has none for reading, and psql says what to do")
    func noRole() async throws {
        let conninfo = try await onThread {
            let conninfo = try TestCluster.shared.makeDatabase()
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            try Migrator.migrate(on: connection, partitions: 4)
            let role = try connection.query(Statement(name: "role", sql: "SELECT reader_role()::text"))
                .text(row: 0, column: 0)
            try connection.execute("DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\"")
            return conninfo
        }
        let told = try await ask("SELECT 1", of: ["--database", conninfo])
        #expect(told.code == 1 && told.errors.contains("There is no role that only reads"), "\(told.errors)")
        let owner = try await ask("SELECT 1", of: ["--database", conninfo], owner: true)
        #expect(owner.code == 0 && owner.output == "1", "\(owner.errors)")
    }
}
