import EventStore
import FocusCore
import FocusWire
import Foundation
import Support
import Testing

@testable import SyncServer

/// A device that sends more than a server can do at once, beside others.
@Suite("Fairness", .fewAtATime) struct FairnessTests {
    private static let (frames, perFrame) = (40, 200)

    /// Sends all frames at once, right behind them one event from `quiet`, and waits until that is answered.
    private func flood(_ server: TestServer, _ user: UserID, beside quiet: WireClient) async throws -> WireClient {
        let (client, _) = try await WireClient.open(server, user: user)
        try await client.append(from: 1, Envelope.setUp("a"))
        _ = try await client.appended()
        var (sequence, bytes) = (Int64(3), [UInt8]())
        for frame in 0..<Self.frames {
            let events = (0..<Self.perFrame).map { Envelope.post("\(frame)-\($0)", app: "a") }
            bytes += FrameCodec.frame(
                .append(AppendRequest(firstSequence: DeviceSequence(sequence), envelopes: events)))
            sequence += Int64(events.count)
        }
        let event = FrameCodec.frame(
            .append(AppendRequest(firstSequence: DeviceSequence(3), envelopes: [.post("n", app: "a")])))
        // All are made before the first is written: what is served meanwhile would say how fast this test is.
        client.write(bytes: bytes)
        quiet.write(bytes: event)
        _ = try await quiet.appended()
        return client
    }

    @Test(
        "Q1: who sends one event beside a flood is served before the flood is; of the flood each frame is answered")
    func isServedFirst() async throws {
        // One partition: the log's order is the order of service.
        try await TestServer.with(partitions: 1) { server in
            let (attacker, quiet) = (UserID.random(), UserID.random())
            let (client, _) = try await WireClient.open(server, user: quiet)
            try await client.append(from: 1, Envelope.setUp("a"))
            _ = try await client.appended()
            let flood = try await flood(server, attacker, beside: client)
            for _ in 0..<Self.frames { _ = try await flood.appended() }
            let (own, others) = try await onThread {
                (try server.events(of: quiet), try server.events(of: attacker))
            }
            let served = try #require(own.last?.offset)
            let before = others.count { $0.offset < served }
            #expect(before < Self.frames * Self.perFrame / 2, "\(before) events of the flood were before")
            #expect(others.count { $0.device != .server } == Self.frames * Self.perFrame + 2)
            await flood.close()
            await client.close()
        }
    }
}
