import EventStore
import Foundation
import PostgresClient
import Support
import Testing

/// What focusd says of the settings of the operator's PostgreSQL.
@Suite("Durability warnings", .fewAtATime) struct DurabilityWarningTests {
    /// An empty database whose sessions have the setting.
    private func database(synchronousCommit: String) async throws -> String {
        try await onThread {
            let conninfo = try TestCluster.shared.makeDatabase()
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            let name = try connection.run("SELECT current_database()::text").text(row: 0, column: 0)
            try connection.execute("ALTER DATABASE \(name) SET synchronous_commit = \(synchronousCommit)")
            return conninfo
        }
    }

    @Test(
        "P1: focusd says at its start by which settings of the operator's PostgreSQL acknowledged events may be lost",
        arguments: ["off", "on"])
    func warned(synchronousCommit: String) async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let file = place + "/log"
        let server = try await FocusdProcess(
            database: try await database(synchronousCommit: synchronousCommit), options: ["--log-level", "warning"],
            log: file)
        #expect(await server.terminate())
        let log = try String(contentsOfFile: file, encoding: .utf8)
        // The tests' cluster runs without fsync.
        for setting in ["fsync", "full_page_writes"] {
            #expect(log.contains("PostgreSQL runs with \(setting) off: when the machine crashes"), "\(log)")
        }
        let warning = "PostgreSQL runs with synchronous_commit off: when PostgreSQL or the machine crashes"
        #expect(log.contains(warning) == (synchronousCommit == "off"), "\(log)")
        await server.remove()
    }

    @Test("P1: of a PostgreSQL that keeps what it has acknowledged focusd says nothing")
    func safe() async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let cluster = try await onThread { try EmbeddedCluster.start(dataDirectory: place + "/cluster") }
        let file = place + "/log"
        let server = try await FocusdProcess(
            database: cluster.conninfo, options: ["--log-level", "warning"], log: file)
        #expect(await server.terminate())
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("PostgreSQL runs with") == false)
        await server.remove()
        try await onThread { try cluster.stop() }
    }
}
