import Foundation
import PostgresClient
import Support
import Testing

/// What an operator sees of a running server without asking it.
@Suite("Metrics", .fewAtATime) struct MetricsTests {
    @Test("What the background verifier found stands in a file, also after the read model was damaged")
    func verification() async throws {
        let server = try await FocusdProcess(options: ["--verify-interval", "0.01", "--log-level", "critical"])
        let fleet = try await Fleet(server: server, devices: 2, users: 1)
        try await fleet.append(count: 5, round: 0)
        let file = server.directory + "/metrics.prom"
        nonisolated(unsafe) let running = server
        try await onThread {
            try eventually("somebody was verified", within: .seconds(30)) {
                Self.value("focusd_users_verified_total", file) ?? 0 > 0
            }
            #expect(Self.value("focusd_users_differing_total", file) == 0)
            #expect(Self.value("focusd_connections", file) ?? 0 > 0)
            #expect(Self.value("focusd_users_loaded_total", file) == 1)
            #expect(Self.value("focusd_users_looked_up_total", file) == 0)
            // A server alone never meets another.
            #expect(Self.value("focusd_late_batches_total", file) == 0)
            #expect(Self.value("focusd_locked_statements_total", file) == 0)
            let owner = try running.database()
            defer { owner.close() }
            try owner.execute("UPDATE read_1.apps SET value = '\\x0a0178'")
            try eventually("the difference is told", within: .seconds(30)) {
                Self.value("focusd_users_differing_total", file) ?? 0 > 0
            }
        }
        await fleet.close()
        #expect(await server.terminate())
        await server.remove()
    }

    private static func value(_ name: String, _ file: String) -> Int? {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").first { $0.hasPrefix(name + " ") }.flatMap {
            Int($0.dropFirst(name.count + 1))
        }
    }
}
