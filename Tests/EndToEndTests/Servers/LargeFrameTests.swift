import Dispatch
import FocusCore
import FocusWire
import Support
import Testing

@testable import SyncServer

/// Frames that take long to decode.
@Suite("Large frames", .fewAtATime) struct LargeFrameTests {
    @Test("Q1: while a large frame waits to be decoded its connection's next frames wait too, and nobody else does")
    func besideOthers() async throws {
        try await TestServer.with(configure: { $0.eventLoops = 1 }) { server in
            let (user, gate) = (UserID.random(), DispatchSemaphore(value: 0))
            let (large, _) = try await WireClient.open(server, user: user)
            let (other, _) = try await WireClient.open(server, user: user)
            try await large.append(from: 1, Envelope.setUp("a"))
            #expect(try await large.appended().throughSequence == DeviceSequence(2))
            let decoder = try #require(server.server.services.decoder)
            decoder.decode([], of: .random()) { _ in gate.wait() }
            let body = String(repeating: "b", count: 1_000)
            let events = (0..<50).map { Envelope.post("\($0)", app: "a", body: body) }
            let frames = [
                AppendRequest(firstSequence: DeviceSequence(3), envelopes: events),
                AppendRequest(firstSequence: DeviceSequence(53), envelopes: [.post("last", app: "a")]),
            ]
            #expect(FrameCodec.frame(.append(frames[0])).count > FrameDecoder.leastBytes)
            try await large.send(bytes: frames.flatMap { FrameCodec.frame(.append($0)) })
            try await awaiting("the frame is held for the decoder") {
                server.server.inboundBytes > FrameDecoder.leastBytes
            }
            try await other.append(from: 1, [.post("other", app: "a")])
            #expect(try await other.appended().throughSequence == DeviceSequence(1))
            gate.signal()
            #expect(try await large.appended().throughSequence == DeviceSequence(52))
            #expect(try await large.appended().throughSequence == DeviceSequence(53))
            try await awaiting("nothing is held any more") { server.server.inboundBytes == 0 }
            for client in [large, other] { await client.close() }
        }
    }
}
