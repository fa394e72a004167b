import FocusCore
import FocusWire
import NIOCore
import NIOPosix
import Testing

@testable import Conformance

@Suite("Conformance: Live") struct LiveTests {
    /// Cannot reach its log for so many frames, and takes the next one.
    private final class Absent: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private var left: Int

        init(_ frames: Int) { left = frames }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            left -= 1
            let answer: ServerMessage =
                left < 0
                ? .appended(Appended(throughSequence: DeviceSequence(1), version: Version(7), refused: []))
                : .error(ProtocolError(.unavailable, "Later.", retryAfterMilliseconds: 1))
            context.writeAndFlush(NIOAny(ByteBuffer(bytes: FrameCodec.frame(answer))), promise: nil)
        }
    }

    @Test(
        "G2: what a server cannot take at the moment is sent again, for as long as the case is patient",
        arguments: [0, 1, 1_000])
    func sentAgain(refusals: Int) async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Absent(refusals))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        var target = ConformanceTarget(
            server: .init(host: "127.0.0.1", port: port), security: .plaintext, token: { _ in "" })
        target.patienceSeconds = refusals == 1_000 ? 0.5 : 60
        let log = try #require(LogID(bytes: [UInt8](repeating: 1, count: 16)))
        let welcome = Welcome(
            protocolVersion: 1, session: "", log: log, lastSequence: .zero, maximumFrameBytes: 1 << 20,
            maximumUnacknowledgedAppends: 1, heartbeatMilliseconds: 1_000, serverTime: Timestamp(microseconds: 0))
        let live = Live(try await RawConnection.open(target.server, target), welcome)
        if refusals == 1_000 {
            await #expect(throws: CaseFailure.self) { try await live.appendAccepted([.post("n", app: "a")]) }
        } else {
            #expect(try await live.appendAccepted([.post("n", app: "a")]) == Version(7))
            #expect(live.sequence == 1)
        }
        try await server.close()
    }
}
