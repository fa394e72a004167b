import EventStore
import Foundation
import Support
import Testing

/// What a server's figures say of its database.
@Suite("Database figures", .fewAtATime) struct DatabaseFiguresTests {
    @Test("Sizes, the last backup and PostgreSQL's restarts are told, and what PostgreSQL is doing now")
    func database() async throws {
        let server = try await FocusdProcess()
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let fleet = try await Fleet(server: server, devices: 2, users: 2)
        try await fleet.append(count: 10, round: 0)
        let begin = Date().timeIntervalSince1970
        let backup = try ChildProcess(
            FocusdProcess.binary("focusctl"), ["backup", "--data-dir", server.directory, "--to", place + "/backup"])
        #expect(await backup.exitCode() == 0)
        let end = Date().timeIntervalSince1970
        // The first question has PostgreSQL asked.
        try await awaiting("PostgreSQL has said what it has") {
            try await server.figures()["focus_log_events"] != nil
        }
        let figures = try await server.figures()
        let events = try #require(figures["focus_log_events"])
        #expect(events == figures["focus_events_appended_total"])
        #expect(figures["focus_last_backup_events"] == events)
        let time = try #require(figures["focus_last_backup_timestamp_seconds"])
        #expect(time >= begin && time <= end)
        #expect(figures["focus_log_bytes"] ?? 0 > 0)
        #expect(figures["focus_database_bytes"] ?? 0 > figures["focus_log_bytes"] ?? .infinity)
        #expect(figures["focus_table_bytes{generation=\"1\",table=\"users\"}"] ?? 0 > 0)
        #expect(figures["focus_rebuild_unfinished"] == 0 && figures["focus_projection_laggards"] == 0)
        #expect(figures["focus_postgres_up"] == 1 && figures["focus_postgres_restarts_total"] == 0)
        #expect(figures["focus_certificate_expiry_timestamp_seconds"] == nil, "there is no certificate")
        #expect(figures.sum("focus_build_info") == 1 && figures.sum("process_resident_memory_bytes") > 0)

        try server.killPostmaster()
        try await awaiting("PostgreSQL was started again") {
            let figures = try await server.figures()
            return figures["focus_postgres_restarts_total"] == 1 && figures["focus_postgres_up"] == 1
        }
        await fleet.close()
        #expect(await server.terminate())
        await server.remove()
    }

    @Test("A log that was never backed up has no time of a backup")
    func noBackup() async throws {
        let server = try await FocusdProcess()
        try await awaiting("PostgreSQL has said what it has") {
            try await server.figures()["focus_log_events"] == 0
        }
        #expect(try await server.figures()["focus_last_backup_timestamp_seconds"] == nil)
        #expect(await server.terminate())
        await server.remove()
    }

    @Test("promtool finds nothing to complain about, where it is installed")
    func promtool() async throws {
        guard let promtool = Promtool() else { return }
        let server = try await FocusdProcess()
        try await awaiting("PostgreSQL has said what it has") {
            try await server.figures()["focus_log_events"] == 0
        }
        let file = server.directory + "/metrics"
        let answer = try #require(try await HTTPAnswer.get("/metrics", port: server.adminPort))
        try answer.body.write(toFile: file, atomically: true, encoding: .utf8)
        try await promtool.succeed(["check", "metrics"], input: file)
        #expect(await server.terminate())
        await server.remove()
    }
}
