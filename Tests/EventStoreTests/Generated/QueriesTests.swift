import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore

@Suite("Schema")
struct QueriesTests {
    @Test("The embedded SQL is that of Schema/: run ops/generate-sql.py after a change")
    func noDrift() throws {
        let (status, errors) = try Checkout.run(["python3", "ops/generate-sql.py", "--check"])
        #expect(status == 0, "\(errors)")
    }

    @Test("Every query can be planned by the server's role")
    func everyQueryPrepares() throws {
        let connection = try StoreFixture().connection()
        // PostgreSQL cannot prepare these, and the server's role makes no tables.
        let utilities: Set<String> = [
            "listen_log", "create_migrations", "create_additions", "copy_events", "copy_events_in",
        ]
        for statement in Queries.all where !utilities.contains(statement.name) {
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
        try connection.execute("SET plan_cache_mode = force_generic_plan; PREPARE a AS \(Queries.appendEvents.sql)")
        let nulls = Array(repeating: "NULL", count: 23).joined(separator: ", ")
        let result = try connection.query(Statement(name: "explain", sql: "EXPLAIN EXECUTE a (\(nulls))"))
        let plan = try (0..<result.rowCount).map { try result.text(row: $0, column: 0) }
        let insertion = try #require(plan.firstIndex { $0.contains("Insert on events") })
        let depth = plan[insertion].prefix { $0 == " " }.count
        let below = plan[(insertion + 1)...].prefix { $0.prefix { $0 == " " }.count > depth }
        #expect(below.contains { $0.contains("ProjectSet") }, "\(plan.joined(separator: "\n"))")
        #expect(!below.contains { $0.contains("Join") || $0.contains("Loop") }, "\(plan.joined(separator: "\n"))")
        let locking = plan.contains { $0.contains("LockRows") }
        #expect(locking && plan.contains { $0.contains("Sort Key: p.partition") }, "locks must be taken in order")
    }

    @Test("Rows that are dropped are found by their keys, also in tables of which the planner knows nothing")
    func deletionPlan() throws {
        let connection = try StoreFixture().connection()
        defer { connection.close() }
        try connection.execute("SET plan_cache_mode = force_generic_plan")
        for (table, statements) in Queries.tables {
            try connection.execute("PREPARE d_\(table) AS \(statements.delete.sql)")
            let result = try connection.query(
                Statement(name: "explain_\(table)", sql: "EXPLAIN EXECUTE d_\(table) (0, '{\(UUID())}', '{a}', '{k}')"))
            let plan = try (0..<result.rowCount).map { try result.text(row: $0, column: 0) }
            let isByKey = plan.contains { $0.contains(#/Index Cond: .*partition = .*user_id = .*app = .*key = /#) }
            #expect(isByKey && !plan.contains { $0.contains("Join Filter") }, "\(plan.joined(separator: "\n"))")
        }
    }
}
