import Dispatch
import FocusCore
import NIOCore
import NIOPosix
import Support
import Testing

@testable import SyncServer

/// Rows and statuses that a lane has handed over, and that are not written yet.
@Suite("Stale delivery", .fewAtATime) struct StaleDeliveryTests {
    private let user = UserID.random()
    private let app = AppID("com.example.chat")!

    /// Two servers of one log; the first one's clock stands still.
    private func stage(_ body: (ManualTime, TestServer, TestServer) async throws -> Void) async throws {
        let time = ManualTime()
        let first = try await TestServer.start(partitions: 1, clock: time.clock)
        let second = try await TestServer.start(conninfo: first.conninfo)
        try await body(time, first, second)
        for server in [first, second] { try await server.server.stop() }
    }

    /// Has the server's lane hand over what comes of `said`, and go stale, and `meanwhile` happen, before its event
    /// loop writes any of it. The database does not say its heads any more.
    private func delay(
        _ time: ManualTime, _ server: TestServer, said: () async throws -> Void,
        meanwhile: () async throws -> Void = {}
    ) async throws {
        let gate = DispatchSemaphore(value: 0)
        server.server.group.next().execute { gate.wait() }
        defer { gate.signal() }
        try await said()
        try await awaiting("the lane has handed it over") { server.server.queuedBytes.reduce(0, +) > 0 }
        server.server.faults.set(.headsUnanswered, true)
        time.advance(milliseconds: 1_000)
        try await meanwhile()
    }

    @Test("A3, V2: rows whose lane went stale before they are written wait until it is fresh again")
    func rows() async throws {
        try await stage { time, first, second in
            let (tablet, _) = try await WireClient.open(first, user: user)
            try await tablet.untilLive()
            let (phone, _) = try await WireClient.open(second, user: user)
            try await tablet.flush()
            var version = Version.zero
            try await delay(time, first) {
                try await phone.append(from: 1, Envelope.setUp("a"))
                version = try await phone.appended().version
            }
            let heard = try await tablet.flush().filter { if case .delta = $0 { true } else { false } }
            #expect(heard.isEmpty, "the tablet may be revoked by now")
            first.server.faults.set(.headsUnanswered, false)
            #expect(try await tablet.deltaVersion() == version)
        }
    }

    @Test("V2: statuses whose lane went stale before they are written are not: what holds once it is fresh is told")
    func statuses() async throws {
        try await stage { time, first, second in
            let (viewer, _) = try await WireClient.open(first, user: user, scope: .app(app))
            let sharer = try await Sharer(second, apps: [app.rawValue], with: [user])
            try await viewer.send(.watch([sharer.user]))
            #expect(try await viewer.statuses().statuses.map(\.isFocused) == [false])
            // The interval of rule V4 has passed.
            time.advance(milliseconds: 250)
            try await viewer.flush()
            try await delay(time, first) {
                try await sharer.say([Sharer.focus(true)])
            } meanwhile: {
                try await sharer.say(sharer.remove(user))
            }
            let heard = try await viewer.flush().filter { if case .peerStatuses = $0 { true } else { false } }
            #expect(heard.isEmpty, "the viewer may be out of the audience by now")
            first.server.faults.set(.headsUnanswered, false)
            #expect(try await viewer.statuses().statuses.map(\.isFocused) == [nil])
        }
    }
}
