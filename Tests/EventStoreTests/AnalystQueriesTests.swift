import EventStore
import Foundation
import PostgresClient
import Support
import Testing

/// What Schema/README.md tells analysts must run.
@Suite("Analyst queries") struct AnalystQueriesTests {
    @Test("Every query of Schema/README.md runs on a migrated database")
    func queriesRun() throws {
        let connection = try PostgresConnection(
            PostgresConfiguration(conninfo: try TestCluster.shared.makeDatabase()))
        defer { connection.close() }
        try Migrator.migrate(on: connection)
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("Schema/README.md"), encoding: .utf8)
        let blocks = text.components(separatedBy: "```sql\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(!blocks.isEmpty)
        for block in blocks { try connection.execute(block) }
    }
}
