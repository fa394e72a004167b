import EventStore
import Foundation
import Support
import Testing

/// What a load balancer is told of a running `focusd`.
@Suite("Readiness", .fewAtATime) struct ReadinessTests {
    /// One question and its answer.
    private struct Look {
        /// Since the clock began.
        var askedAfter: Duration
        var isReady: Bool
        var text: String
    }

    @Test("A server is not ready two seconds after PostgreSQL ended, lives on, and is ready again when it is back")
    func database() async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let cluster = try await onThread {
            try EmbeddedCluster.start(dataDirectory: place, settings: Standby.settings)
        }
        let server = try await FocusdProcess(database: cluster.conninfo)
        try await awaiting("the server is ready") { try await look(server, since: .now)?.isReady == true }
        try await onThread { try cluster.stop() }
        let end = ContinuousClock.now
        var looks: [Look] = []
        try await awaiting("a look two seconds later") {
            if let look = try await look(server, since: end) { looks.append(look) }
            return looks.last.map { $0.askedAfter >= .seconds(2) } ?? false
        }
        for look in looks where look.askedAfter >= .seconds(2) {
            #expect(!look.isReady && look.text.contains("[-] database"), "\(look)")
        }
        #expect(try await HTTPAnswer.get("/livez", port: server.adminPort)?.status == 200)
        #expect(try await server.figures()["focus_connections"] == 0, "figures are told meanwhile")
        let again = try await onThread {
            try EmbeddedCluster.start(dataDirectory: place, settings: Standby.settings)
        }
        try await awaiting("the server is ready again") { try await look(server, since: .now)?.isReady == true }
        #expect(await server.terminate())
        await server.remove()
        try await onThread { try again.stop() }
    }

    @Test("G1: a server that was told to stop says so until it is gone")
    func stopping() async throws {
        let direct = try await onThread { try TestCluster.shared.makeDatabase() }
        let proxy = try await DatabaseProxy.start(direct)
        let server = try await FocusdProcess(database: proxy.conninfo)
        try await awaiting("the server is ready") { try await look(server, since: .now)?.isReady == true }
        // The stop waits some seconds for what is under way.
        proxy.silence()
        server.beginTermination()
        let begin = ContinuousClock.now
        var looks: [Look] = []
        try await awaiting("the server is gone") {
            // A connection that ends with the server has no answer.
            if let look = try? await look(server, since: begin) { looks.append(look) }
            return server.hasExited
        }
        #expect(await server.waitForExit() == 0)
        #expect(looks.contains { !$0.isReady && $0.text.contains("[-] serving: stops") })
        #expect(!looks.contains { $0.askedAfter >= .seconds(2) && $0.text.contains("[+] serving") })
        await server.remove()
        try await proxy.stop()
    }

    @Test("Options of the port are checked before anything is made")
    func options() async throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        for options in [
            ["--admin", "0.0.0.0:0"], ["--admin", "9464"], ["--admin-host", "focus.example.com"],
            ["--metrics", "/tmp/metrics.prom"],
        ] {
            let child = try ChildProcess(
                FocusdProcess.binary("focusd"), ["serve", "--plaintext", "--data-dir", place + "/data"] + options)
            #expect(await child.exitCode() == 2, "\(options)")
        }
        #expect(!FileManager.default.fileExists(atPath: place + "/data"))
    }

    private func look(_ server: FocusdProcess, since begin: ContinuousClock.Instant) async throws -> Look? {
        let asked = ContinuousClock.now
        guard let answer = try await HTTPAnswer.get("/readyz?verbose", port: server.adminPort) else { return nil }
        #expect(answer.status == 200 || answer.status == 503)
        return Look(askedAfter: asked - begin, isReady: answer.status == 200, text: answer.body)
    }
}
