import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore

@Suite("Schema")
struct QueriesTests {
    /// PostgreSQL cannot prepare these, and the server's role makes no tables.
    private static let utilities: Set<String> = [
        "listen_log", "create_migrations", "create_additions", "copy_events", "copy_events_in",
    ]

    @Test("The embedded SQL is that of Schema/: run ops/generate-sql.py after a change")
    func noDrift() throws {
        let (status, errors) = try Checkout.run(["python3", "ops/generate-sql.py", "--check"])
        #expect(status == 0, "\(errors)")
    }

    @Test("Every query can be planned by the server's role")
    func everyQueryPrepares() throws {
        let connection = try StoreFixture().connection()
        for statement in Queries.all where !Self.utilities.contains(statement.name) {
            #expect(throws: Never.self, "\(statement.name)") {
                try connection.execute("PREPARE \(statement.name) AS \(statement.sql)")
            }
        }
    }

    @Test(
        "Every collection has a table, into which its rows can be inserted and copied",
        arguments: RowCollection.allCases)
    func tables(_ collection: RowCollection) throws {
        let connection = try StoreFixture().connection()
        let statements = collection.statements
        try connection.execute("PREPARE \(statements.insert.name) AS \(statements.insert.sql)")
        try connection.copyIn(statements.copy) { _ in }
        #expect(Queries.tables.count == RowCollection.allCases.count)
    }

    @Test("Every key of every table begins with partition")
    func keysBeginWithPartition() throws {
        let connection = try StoreFixture().owner()
        let result = try connection.query(
            Statement(
                name: "keys",
                sql: """
                    SELECT c.relname::text, a.attname::text
                    FROM pg_index i
                    JOIN pg_class c ON c.oid = i.indrelid
                    JOIN pg_namespace n ON n.oid = c.relnamespace
                    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
                    WHERE n.nspname IN ('public', 'read_1')
                    """))
        // Tables with one row, or one row for each generation, migration, backup or reading. In a sharded database every node
        // holds all of them.
        let global: Set<String> = [
            "log", "generations", "rebuilds", "schema_migrations", "schema_additions", "backups", "operator_actions",
        ]
        for row in 0..<result.rowCount {
            let table = try result.text(row: row, column: 0)
            guard !global.contains(table) else { continue }
            #expect(try result.text(row: row, column: 1) == "partition", "\(table)")
        }
        #expect(result.rowCount > RowCollection.allCases.count)
    }

    @Test("Appending filters by array, not by join: its plan does not depend on estimates")
    func appendPlan() throws {
        let connection = try StoreFixture().connection()
        try connection.execute("SET plan_cache_mode = force_generic_plan")
        let plan = try explain(Queries.appendEvents, on: connection)
        let insertion = try #require(plan.firstIndex { $0.contains("Insert on events") })
        let depth = plan[insertion].prefix { $0 == " " }.count
        let below = plan[(insertion + 1)...].prefix { $0.prefix { $0 == " " }.count > depth }
        #expect(below.contains { $0.contains("ProjectSet") }, "\(plan.joined(separator: "\n"))")
        #expect(!below.contains { $0.contains("Join") || $0.contains("Loop") }, "\(plan.joined(separator: "\n"))")
        let locking = plan.contains { $0.contains("LockRows") }
        #expect(locking && plan.contains { $0.contains("Sort Key: p.partition") }, "locks must be taken in order")
    }

    @Test("Every statement looks users and events up by their keys, also if the tables were empty when it was planned")
    func plansOfEmptyTables() throws {
        let fixture = try StoreFixture()
        // What a look-up in each table goes by.
        var keys = ["events": "user_id|log_offset", "users": "user_id|due_at", "laggards": "partition"]
        for collection in RowCollection.allCases { keys[collection.rawValue] = "user_id" }
        let tables = keys.keys.map { $0 == "events" ? $0 : "read_1.\($0)" }
        // Only now the planner knows that they are empty: of tables of which it knows nothing it supposes ten pages.
        try fixture.owner().execute("VACUUM ANALYZE \(tables.joined(separator: ", "))")
        let connection = try fixture.connection()
        defer { connection.close() }
        // As every session of focusd plans, with the rights of operators, who have statements of their own.
        try connection.execute("SET plan_cache_mode = force_generic_plan; RESET ROLE")
        let counting: Set<String> = ["count_rows", "count_shown_users"]
        var lookUps = 0
        for statement in Queries.all where !Self.utilities.union(counting).contains(statement.name) {
            lookUps += try expectLookUps(of: statement, by: keys, on: connection)
        }
        #expect(lookUps > 2 * RowCollection.allCases.count)
        for table in Queries.tables.values {
            let plan = try explain(table.delete, on: connection)
            #expect(plan.contains { $0.contains(#/Index Cond: .*user_id = .*app = .*key = /#) }, "\(plan)")
            #expect(plan.contains { $0.contains("TID Cond: ") }, "\(plan)")
            #expect(!plan.contains { $0.contains("Join Filter") }, "\(plan)")
        }
    }

    /// Expects that each scan of a table of `keys` has a condition on one of its columns there. Gives the number of scans.
    private func expectLookUps(
        of statement: Statement, by keys: [String: String], on connection: PostgresConnection
    ) throws -> Int {
        let plan = try explain(statement, on: connection)
        var count = 0
        for (index, line) in plan.enumerated() {
            let table = line.firstMatch(of: #/Scan .*on (\w+)/#).map { String($0.1) }
            guard let table, let columns = keys[table] else { continue }
            let condition = plan[(index + 1)...].prefix { !$0.contains("->") }.first { $0.contains("Cond: ") }
            let isByKey = try condition?.contains(Regex(#"\b(\#(columns))\b"#)) ?? false
            #expect(isByKey, "\(statement.name), \(table):\n\(plan.joined(separator: "\n"))")
            count += 1
        }
        return count
    }

    private func explain(_ statement: Statement, on connection: PostgresConnection) throws -> [String] {
        let name = "explained_\(statement.name)"
        try connection.execute("PREPARE \(name) AS \(statement.sql)")
        let prepared = try connection.query(
            Statement(
                name: "parameters_of_\(statement.name)",
                sql: "SELECT cardinality(parameter_types) FROM pg_prepared_statements WHERE name = '\(name)'"))
        let nulls = Array(repeating: "NULL", count: Int(try prepared.int4(row: 0, column: 0)))
        let arguments = nulls.isEmpty ? "" : "(\(nulls.joined(separator: ", ")))"
        let result = try connection.query(
            Statement(name: "plan_of_\(statement.name)", sql: "EXPLAIN EXECUTE \(name) \(arguments)"))
        return try (0..<result.rowCount).map { try result.text(row: $0, column: 0) }
    }
}
