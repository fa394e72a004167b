import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

/// The SQL that Schema/README.md gives analysts must run and find something, and every view and column must be
/// explained.
@Suite("SQL for analysts") struct AnalystQueriesTests {
    private struct WorkedQuery {
        var title: String
        var sql: String
    }

    /// The user id in the document's queries.
    private static let example = "11111111-1111-4111-8111-111111111111"

    @Test("Every query of Schema/README.md runs on a random history and finds something")
    func queriesRun() throws {
        let history = try history()
        let fixture = try StoreFixture()
        let connection = try fixture.connection()
        defer { connection.close() }
        try history.log(on: connection)
        try project(history, on: connection)
        let queries = try queries()
        #expect(queries.count >= 10)
        for (number, query) in queries.enumerated() {
            let sql = query.sql.replacingOccurrences(of: Self.example, with: history.users[0].description)
            let result = try connection.query(Statement(name: "worked_\(number)", sql: sql))
            #expect(result.rowCount > 0, "\"\(query.title)\" finds nothing")
        }
    }

    /// A random life, and an action at its end: a new post removes the row of an action, so few stay by chance.
    private func history() throws -> RandomHistory {
        var history = try RandomHistory(seed: 11, users: 3, events: 2_000)
        let action = NotificationAction(id: "reply", title: "Reply", textInput: true)
        let bodies: [EventBody] = [
            .categoriesRegistered(
                CategoriesRegistered(categories: [NotificationCategory(id: "message", actions: [action])])),
            .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)),
            .notificationPosted(NotificationPosted(notificationID: "last", category: "message", title: "T", body: "B")),
            .notificationActionPerformed(NotificationActionPerformed(notificationID: "last", gesture: .doubleTap)),
        ]
        for body in bodies { try history.append(history.users[0], AppID("com.example.mail"), body) }
        // A Focus with an end, so that something falls due.
        let end = history.events.last!.recordedAt.adding(microseconds: 60_000_000)
        try history.append(history.users[0], nil, .focusConfigured(FocusConfigured(focusID: "due", name: "Due")))
        try history.append(
            history.users[0], nil, .focusChanged(FocusChanged(focusID: "due", isActive: true, endsAt: end)))
        return history
    }

    private func project(_ history: RandomHistory, on connection: PostgresConnection) throws {
        let projected = history.users.map { user in
            let state = history.last(of: user)
            return ProjectedUser(
                user: user, version: state.version, base: .zero,
                rows: state.rowKeys.map { ProjectedRow($0, state.row($0)) },
                dueAt: state.dueAt)
        }
        let batch = ProjectionBatch(
            partition: RandomHistory.partition, generation: 1, checkpoint: LogOffset(Int64(history.events.count)),
            users: projected)
        #expect(try ProjectionWriter().write(batch, on: connection).missing == [])
    }

    /// Splits a block of SQL into queries: a line `-- title`, then a statement up to its semicolon.
    private func queries() throws -> [WorkedQuery] {
        let text = try String(contentsOf: Checkout.file("Schema/README.md"), encoding: .utf8)
        let blocks = text.components(separatedBy: "```sql\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
        return try blocks.flatMap { block in
            try (block + "\n").components(separatedBy: ";\n").filter { !$0.allSatisfy(\.isWhitespace) }.map { query in
                let lines = query.split(separator: "\n")
                let title = try #require(
                    lines.first?.hasPrefix("-- ") == true ? lines.first : nil, "no title: \(query)")
                return WorkedQuery(
                    title: String(title.dropFirst(3)), sql: lines.dropFirst().joined(separator: "\n"))
            }
        }
    }

    @Test("Every view of schema read, every column of it and of the log has a comment")
    func everyColumnIsExplained() throws {
        let connection = try StoreFixture().connection()
        defer { connection.close() }
        let result = try connection.query(
            Statement(
                name: "uncommented",
                sql: """
                    SELECT c.relname || coalesce('.' || a.attname, '')
                    FROM pg_class c
                    LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                    WHERE (c.relnamespace = 'read'::regnamespace AND c.relkind = 'v'
                            OR c.oid IN ('events'::regclass, 'log'::regclass, 'log_partitions'::regclass))
                        AND (col_description(c.oid, a.attnum) IS NULL OR obj_description(c.oid, 'pg_class') IS NULL)
                    ORDER BY 1
                    """))
        let missing = try (0..<result.rowCount).map { try result.text(row: $0, column: 0) }
        #expect(missing == [])
        #expect(try connection.integer("SELECT count(*) FROM pg_views WHERE schemaname = 'read'") > 20)
    }
}
