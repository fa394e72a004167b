import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

/// Who looked at whose data is recorded, and nothing is refused for that.
@Suite("operator_actions", .fewAtATime) struct OperatorActionTests {
    private func actions(_ log: GeneratedDatabase) async throws -> [(command: String, user: UUID?)] {
        let conninfo = log.conninfo
        return try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            let rows = try connection.query(
                Statement(name: "actions", sql: "SELECT command, user_id FROM operator_actions ORDER BY at, user_id"))
            return try (0..<rows.rowCount).map { row in
                (
                    try rows.text(row: row, column: 0),
                    rows.isNull(row: row, column: 1) ? nil : try rows.uuid(row: row, column: 1)
                )
            }
        }
    }

    @Test("Each command that shows a person's data is recorded with the user; one that shows everybody's without")
    func recorded() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let events = try await log.events()
        let users = Set(events.map(\.user)).sorted()
        let (user, other) = (users[0], users[1])
        let rule = "\(log.directory)/rule"
        try "route accuracy 20\n".write(toFile: rule, atomically: true, encoding: .utf8)
        let app = try #require(events.first { $0.user == user && $0.app != nil }?.app)
        var expected: [(String, [UserID]?)] = []
        for (name, words, whose) in [
            ("state", ["state", "--user", "\(user)"], [user]),
            ("state", ["state", "--user", "\(user)", "--at", "1", "--no-cache"], [user]),
            ("diff", ["diff", "--user", "\(user)", "--from", "1", "--no-cache"], [user]),
            ("timeline", ["timeline", "--user", "\(user)", "--no-cache"], [user]),
            ("explain", ["explain", "--user", "\(user)", "--app", "\(app)", "--badge"], [user]),
            ("advise", ["advise", "--user", "\(user)"], [user]),
            ("lint", ["lint", "--app", "\(app)", "--user", "\(user)"], [user]),
            ("replay", ["replay", "--user", "\(user)"], [user]),
            ("projections verify", ["projections", "verify", "--user", "\(user)"], [user]),
            ("what-if", ["what-if", "--rule", rule, "--users", "\(user),\(other)"], [user, other]),
            ("what-if", ["what-if", "--rule", rule], nil), ("replay", ["replay", "--type", "focus.changed"], nil),
            ("lint", ["lint", "--app", "\(app)"], nil),
        ] as [(String, [String], [UserID]?)] {
            let found = try await log.run(words)
            // Nothing has projected this log, so what is verified differs.
            #expect(found.exitCode == 0 || name == "projections verify", "\(words)")
            expected.append((name, whose))
        }
        let wanted = expected.flatMap { entry in
            entry.1.map { $0.map { "\(entry.0) \($0)" }.sorted() } ?? ["\(entry.0) everybody"]
        }
        let found = try await actions(log)
        #expect(found.map { "\($0.command) \($0.user.map { UserID($0).description } ?? "everybody")" } == wanted)
        let who = try await log.integer(
            "SELECT count(*) FROM operator_actions WHERE os_user <> '' AND database_role = session_user")
        #expect(who == Int64(wanted.count))
    }

    @Test("A user who is not there, and wrong options, are no readings; nothing of what was asked is recorded")
    func nothing() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        #expect(try await log.run(["state", "--user", UUID().uuidString]).exitCode == 1)
        #expect(try await log.run(["state", "--user", "x"]).exitCode == 2)
        #expect(try await actions(log).isEmpty)
        let columns = try await log.integer(
            "SELECT count(*) FROM information_schema.columns WHERE table_name = 'operator_actions'")
        #expect(columns == 5)
    }

    @Test("A log that takes no writes, or whose record is damaged, is read all the same, and the operator is told")
    func unrecorded() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let user = try #require(try await log.events().first?.user)
        let name = try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: log.conninfo))
            defer { connection.close() }
            return try connection.query(Statement(name: "name", sql: "SELECT current_database()::text"))
                .text(row: 0, column: 0)
        }
        for damage in [
            ["ALTER DATABASE \"\(name)\" SET default_transaction_read_only = on"],
            ["ALTER DATABASE \"\(name)\" RESET default_transaction_read_only", "DROP TABLE operator_actions"],
            ["DROP FUNCTION record_operator_action"],
        ] {
            try await onThread {
                let connection = try PostgresConnection(PostgresConfiguration(conninfo: log.conninfo))
                defer { connection.close() }
                try connection.execute("SET default_transaction_read_only = off")
                for statement in damage { try connection.execute(statement) }
            }
            let told = try await log.complaint(["state", "--user", "\(user)"])
            #expect(told.code == 0 && told.text.hasPrefix("This reading is not recorded"), "\(told.text)")
            #expect(try await !log.run(["state", "--user", "\(user)"]).output.isEmpty)
        }
    }

    @Test("The record is append-only, has a partition a month, and drops what is older than 24 months")
    func bounded() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let user = try #require(try await log.events().first?.user)
        try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: log.conninfo))
            defer { connection.close() }
            for (name, from, to) in [("2020_01", "2020-01-01", "2020-02-01"), ("2020_02", "2020-02-01", "2020-03-01")] {
                try connection.execute(
                    """
                    CREATE TABLE operator_actions_\(name) PARTITION OF operator_actions
                    FOR VALUES FROM ('\(from)T00:00:00Z') TO ('\(to)T00:00:00Z');
                    INSERT INTO operator_actions (at, os_user, command) VALUES ('\(from)T12:00:00Z', 'old', 'state')
                    """)
            }
        }
        for _ in 0..<2 { #expect(try await log.run(["state", "--user", "\(user)"]).exitCode == 0) }
        let parts = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'operator_actions'::regclass"
        #expect(try await log.integer(parts) == 1)
        #expect(try await log.integer("SELECT count(*) FROM operator_actions") == 2)
        try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: log.conninfo))
            defer { connection.close() }
            for sql in ["DELETE FROM operator_actions", "UPDATE operator_actions SET command = 'x'"] {
                #expect(throws: PostgresError.self) { try connection.execute(sql) }
            }
        }
    }
}
