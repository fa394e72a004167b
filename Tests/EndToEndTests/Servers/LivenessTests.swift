import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Support
import Testing

@testable import SyncServer

/// Which threads of a server hang (`/livez`, systemd's watchdog).
@Suite("Liveness", .fewAtATime) struct LivenessTests {
    private static let longerThanAllowed = Liveness.patience + 1

    /// A server whose clock stands still, and a database that can be silenced.
    private func serving(_ body: (SyncServer, ManualTime, DatabaseProxy) async throws -> Void) async throws {
        let time = ManualTime()
        let proxy = try await DatabaseProxy.start(
            try await onThread { try TestCluster.shared.makeDatabase() })
        let server = try await TestServer.start(conninfo: proxy.conninfo, clock: time.clock)
        do {
            try await body(server.server, time, proxy)
        } catch {
            try await server.server.stop()
            throw error
        }
        try await server.server.stop()
        #expect(server.server.health.hanging.isEmpty, "a server that stops does not hang")
        try await proxy.stop()
    }

    @Test("A lane or an event loop that stands still hangs after half a minute, until it goes on")
    func hanging() async throws {
        try await serving { server, time, _ in
            try await awaiting("all go on") { server.health.hanging.isEmpty }
            let (gate, standing) = (DispatchSemaphore(value: 0), NIOLockedValueBox(0))
            let stand = { @Sendable in
                standing.withLockedValue { $0 += 1 }
                gate.wait()
            }
            defer { for _ in 0..<2 { gate.signal() } }
            server.lanes.lanes[1].post(.inquire { _ in stand() })
            server.group.next().execute(stand)
            try await awaiting("both stand still") { standing.withLockedValue { $0 } == 2 }
            time.advance(milliseconds: Self.longerThanAllowed)
            try await awaiting("all others go on") { server.health.hanging.count == 2 }
            #expect(server.health.hanging.first?.hasPrefix("event-loop-") == true)
            #expect(server.health.hanging.last == "lane-1")
            for _ in 0..<2 { gate.signal() }
            try await awaiting("they go on") { server.health.hanging.isEmpty }
        }
    }

    @Test("G2: a lane that waits for a database without an answer does not hang")
    func waiting() async throws {
        try await serving { server, time, proxy in
            proxy.silence()
            // The first turn after the silence asks for the heads, and waits; there is no second one.
            for _ in 0..<3 {
                time.advance(milliseconds: Self.longerThanAllowed)
                try await awaiting("lanes go on while they wait") { server.health.hanging.isEmpty }
            }
        }
    }
}
