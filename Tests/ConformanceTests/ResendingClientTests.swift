import FocusCore
import FocusWire
import NIOCore
import NIOPosix
import Testing

@testable import Conformance

@Suite("Conformance: ResendingClient") struct ResendingClientTests {
    /// Whatever it gets, it asks to try again later.
    private final class Later: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let error = ProtocolError(.unavailable, "Later.", retryAfterMilliseconds: 1)
            context.writeAndFlush(NIOAny(ByteBuffer(bytes: FrameCodec.frame(.error(error)))), promise: nil)
        }
    }

    @Test("A server that always asks to try again later fails the case in the end, and the case says so")
    func later() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Later()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let target = ConformanceTarget(
            server: .init(host: "127.0.0.1", port: port), security: .plaintext, token: { _ in "" })
        let client = ResendingClient(
            CaseContext(target), .ofNewUser(), Envelope.setUp("app"), limit: 0.5)
        let failure = await #expect(throws: CaseFailure.self) { try await client.deliver() }
        #expect("\(try #require(failure))".contains("it asks to try again later"))
        try await server.close()
    }
}
