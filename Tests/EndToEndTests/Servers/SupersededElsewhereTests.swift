import FocusCore
import Support
import Testing

@testable import SyncServer

@Suite("P8 on two servers", .fewAtATime) struct SupersededElsewhereTests {
    private let app = "com.example.chat"

    @Test("P8: on two servers, the one that sees the device's events come from elsewhere sends its session away")
    func superseded() async throws {
        let time = ManualTime()
        let first = try await TestServer.start(partitions: 2, clock: time.clock)
        let second = try await TestServer.start(conninfo: first.conninfo)
        let (user, device) = (UserID.random(), DeviceID.random())
        let (older, _) = try await WireClient.open(first, user: user, device: device)
        let (other, _) = try await WireClient.open(first, user: user)
        // Another store of the same device: it neither supersedes nor is superseded.
        let (restored, _) = try await WireClient.open(first, user: user, device: device, incarnation: 2)
        time.advance(milliseconds: 2_000)
        try await older.append(from: 1, [Envelope.setUp(app)[0]])
        _ = try await older.appended()
        let (newer, welcome) = try await WireClient.open(second, user: user, device: device)
        #expect(welcome.lastSequence == DeviceSequence(1))
        try await newer.append(from: 2, [Envelope.setUp(app)[1]])
        let version = try await newer.appended().version
        #expect(try await older.goAway() == .superseded)
        #expect(await older.isClosed())
        // The others continue: the newer connection of this store, another device, and another store of this device.
        for (client, sequence) in [(newer, 3), (other, 1), (restored, 1)] as [(WireClient, Int64)] {
            try await client.append(from: sequence, [.post("n\(sequence)", app: app)])
            #expect(try await client.appended().version > version)
        }
        for server in [first, second] { try await server.server.stop() }
    }

    @Test("P8: what a device's connection to another server still had under way does not send the new one away")
    func straggler() async throws {
        let time = ManualTime()
        let first = try await TestServer.start(partitions: 2, clock: time.clock)
        let second = try await TestServer.start(conninfo: first.conninfo)
        let (user, device) = (UserID.random(), DeviceID.random())
        let (old, _) = try await WireClient.open(second, user: user, device: device)
        let (new, _) = try await WireClient.open(first, user: user, device: device)
        try await new.untilLive()
        time.advance(milliseconds: 1_999)
        try await old.append(from: 1, Envelope.setUp(app))
        #expect(try await new.deltaVersion() == Version(3))
        // An event that was already seen does not supersede the session later either.
        time.advance(milliseconds: 10_000)
        let (other, _) = try await WireClient.open(second, user: user)
        try await other.append(from: 1, [.post("a", app: app)])
        #expect(try await new.deltaVersion() == Version(5))
        try await new.append(from: 3, [.post("b", app: app)])
        #expect(try await new.appended().throughSequence == DeviceSequence(3))
        for server in [first, second] { try await server.server.stop() }
    }
}
