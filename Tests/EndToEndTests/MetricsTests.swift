import FocusCore
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

    @Test("What lanes count is what devices did: each frame and each event once, each refusal by its code")
    func counts() async throws {
        let server = try await FocusdProcess()
        let fleet = try await Fleet(server: server, devices: 3, users: 2)
        try await fleet.append(count: 20, round: 0)
        let app = try #require(AppID("com.example.b"))
        let client = try await WireClient.connect(port: server.port)
        try await client.hello(token: TestServer.token(.random(), .random(), .app(app)))
        guard case .welcome = try await client.next() else {
            Issue.record("no Welcome")
            return
        }
        // An app that nobody registered: the event is logged as refused.
        try await client.append(from: 1, [.post("n", app: "com.example.b")])
        _ = try await client.appended()
        let bad = try await WireClient.connect(port: server.port)
        try await bad.hello(token: "no token")
        #expect(try await bad.error().code == .unauthenticated)
        nonisolated(unsafe) let running = server
        let logged = try await onThread {
            let owner = try running.database()
            defer { owner.close() }
            return try owner.query(TestStatement.countAllEvents).int8(row: 0, column: 0)
        }
        try await awaiting("the read model has everything") {
            try await server.figures()["focus_projection_lag_events"] == 0
        }
        let figures = try await server.figures()
        #expect(figures["focus_events_appended_total"] == Double(logged))
        #expect(figures["focus_projected_events_total"] == Double(logged))
        #expect(figures["focus_projection_lag_seconds"] == 0 && figures["focus_projection_stalled_seconds"] == 0)
        let frames = try #require(figures["focus_append_frames_total"])
        #expect(frames > 0)
        #expect(figures["focus_acknowledgement_seconds_count"] == frames)
        #expect(figures["focus_append_queue_seconds_count"] == frames)
        #expect(figures["focus_commit_seconds_count"] ?? 0 > 0)
        #expect(figures["focus_delta_seconds_count"] ?? 0 > 0)
        #expect(figures["focus_events_refused_total{code=\"app_unknown\"}"] == 1)
        #expect(figures["focus_hellos_refused_total{code=\"unauthenticated\"}"] == 1)
        #expect(figures["focus_sessions{class=\"phone\",scope=\"system\"}"] == 3)
        #expect(figures.sum("focus_sessions") == 4)
        #expect(figures.sum("focus_sessions_opened_total") == 4)
        #expect(figures["focus_users_resident"] == 3 && figures["focus_users_quarantined"] == 0)
        #expect(figures["focus_goaways_total{code=\"slow_consumer\"}"] == 0)
        await client.close()
        await fleet.close()
        #expect(await server.terminate())
        await server.remove()
    }
}
