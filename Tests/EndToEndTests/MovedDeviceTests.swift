import FocusCore
import Support
import Testing

@testable import SyncServer

/// A device may connect to any server, and the next time to another one.
@Suite("Moved devices", .fewAtATime) struct MovedDeviceTests {
    @Test(
        "P2, P7: on another server a device hears of everything that it was promised, however old that one's state is")
    func anotherServerKnows() async throws {
        let first = try await TestServer.start()
        let second = try await TestServer.start(conninfo: first.conninfo)
        let (user, device) = (UserID.random(), DeviceID.random())
        // Keeps the user in the second server's memory, as of this moment.
        let (watcher, _) = try await WireClient.open(second, user: user)
        _ = try await watcher.first { if case .checkpoint = $0 { true } else { nil } }
        var logged = DeviceSequence.zero
        for round in 0..<5 {
            let (client, welcome) = try await WireClient.open(first, user: user, device: device)
            #expect(welcome.lastSequence == logged)
            try await client.append(
                from: logged.next.rawValue,
                round == 0 ? Envelope.setUp("com.example.a") : [.post("n\(round)", app: "com.example.a")])
            let appended = try await client.appended()
            logged = appended.throughSequence
            await client.close()
            // Long before the second server's own poll.
            let (moved, moving) = try await WireClient.open(second, user: user, device: device)
            #expect(moving.lastSequence == logged, "round \(round)")
            let end = try await moved.first { if case .snapshotEnd(let cursor) = $0 { cursor } else { nil } }
            #expect(end.version >= appended.version, "round \(round)")
            await moved.close()
        }
        await watcher.close()
        try await first.server.stop()
        try await second.server.stop()
    }
}
