import FocusCore
import Support
import Testing

@testable import SyncServer

/// Which of two connections of a device's store counts as the newer one.
@Suite("P8 when something is late", .fewAtATime) struct LateHelloTests {
    private let app = "com.example.chat"

    @Test("P8: events that a device sent to both servers, the later commit of which finds them logged, are no rival's")
    func resent() async throws {
        let time = ManualTime()
        let first = try await TestServer.start(partitions: 2, clock: time.clock)
        // The clock of this server stands still: all its sessions have just begun, so none is superseded.
        let second = try await TestServer.start(conninfo: first.conninfo, clock: ManualTime().clock)
        // The first server gets no notifications.
        second.server.faults.set(.notifyLost, true)
        let (user, device) = (UserID.random(), DeviceID.random())
        let (old, _) = try await WireClient.open(second, user: user, device: device)
        let (new, _) = try await WireClient.open(first, user: user, device: device)
        try await new.untilLive()
        // As if the database had been away for so long: what the old connection had under way is committed only now.
        time.advance(milliseconds: 5_000)
        // A new connection makes the server look at the heads; after that it does not look before the clock moves.
        let (other, _) = try await WireClient.open(first, user: user)
        try await other.untilLive()
        let events = Envelope.setUp(app)
        try await old.append(from: 1, events)
        _ = try await old.appended()
        try await new.append(from: 1, events)
        #expect(try await new.appended().throughSequence == DeviceSequence(2))
        try await new.append(from: 3, [.post("a", app: app)])
        #expect(try await new.appended().version == Version(4))
        // An event that comes only from the other server supersedes the session.
        while try await old.deltaVersion() < Version(4) {}
        try await old.append(from: 4, [.post("b", app: app)])
        _ = try await old.appended()
        time.advance(milliseconds: 250)
        #expect(try await new.goAway() == .superseded)
        for server in [first, second] { try await server.server.stop() }
    }
}
