import Dispatch
import FocusCore
import NIOCore
import NIOPosix
import Support
import Testing

@testable import SyncServer

/// Rows that a lane has handed over, and that are not written yet.
@Suite("Stale delivery", .fewAtATime) struct StaleDeliveryTests {
    private let user = UserID.random()

    @Test("A3, V2: rows whose lane went stale before they are written wait until it is fresh again")
    func rows() async throws {
        let time = ManualTime()
        let first = try await TestServer.start(partitions: 1, clock: time.clock)
        let second = try await TestServer.start(conninfo: first.conninfo)
        let (tablet, _) = try await WireClient.open(first, user: user)
        try await tablet.untilLive()
        let (phone, _) = try await WireClient.open(second, user: user)
        try await tablet.flush()
        let gate = DispatchSemaphore(value: 0)
        first.server.group.next().execute { gate.wait() }
        try await phone.append(from: 1, Envelope.setUp("a"))
        let version = try await phone.appended().version
        try await awaiting("the lane has handed rows over") { first.server.queuedBytes.reduce(0, +) > 0 }
        first.server.faults.set(.headsUnanswered, true)
        time.advance(milliseconds: 1_000)
        gate.signal()
        let heard = try await tablet.flush().filter { if case .delta = $0 { true } else { false } }
        #expect(heard.isEmpty, "the tablet may be revoked by now")
        first.server.faults.set(.headsUnanswered, false)
        #expect(try await tablet.deltaVersion() == version)
        for server in [first, second] { try await server.server.stop() }
    }
}
