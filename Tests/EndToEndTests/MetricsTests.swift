import PostgresClient
import Support
import Testing

/// The figures of a running server.
@Suite("Metrics", .fewAtATime) struct MetricsTests {
    @Test("What the background verifier found is told, also after the read model was damaged")
    func verification() async throws {
        let server = try await FocusdProcess(options: ["--verify-interval", "0.01", "--log-level", "critical"])
        let fleet = try await Fleet(server: server, devices: 2, users: 1)
        try await fleet.append(count: 5, round: 0)
        try await awaiting("somebody was verified") { try await server.figures().sum("focus_users_verified_total") > 0 }
        let figures = try await server.figures()
        #expect(figures["focus_users_differing_total"] == 0)
        #expect(figures["focus_connections"] ?? 0 > 0)
        #expect(figures["focus_users_loaded_total"] == 1)
        #expect(figures["focus_users_looked_up_total"] == 0)
        // A server alone never meets another.
        #expect(figures["focus_late_batches_total"] == 0)
        #expect(figures["focus_locked_statements_total"] == 0)
        nonisolated(unsafe) let running = server
        try await onThread {
            let owner = try running.database()
            defer { owner.close() }
            try owner.execute("UPDATE read_1.apps SET value = '\\x0a0178'")
        }
        try await awaiting("the difference is told") {
            try await server.figures()["focus_users_differing_total"] ?? 0 > 0
        }
        await fleet.close()
        #expect(await server.terminate())
        await server.remove()
    }
}
