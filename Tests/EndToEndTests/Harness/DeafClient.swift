import FocusCore
import FocusWire
import NIOCore
import NIOPosix

/// A client that does not read until it is told to: its receive window fills up and stays full.
final class DeafClient: Sendable {
    private let channel: any Channel
    private let inbox: Inbox

    private init(_ channel: any Channel, _ inbox: Inbox) {
        self.channel = channel
        self.inbox = inbox
    }

    static func connect(port: Int) async throws -> DeafClient {
        let inbox = Inbox()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: 16_384)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Receiver(inbox))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return DeafClient(channel, inbox)
    }

    /// - Parameter written: called once the kernel has accepted all bytes; never, if it does not.
    func write(_ bytes: [UInt8], written: @escaping @Sendable () -> Void) {
        channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenSuccess(written)
    }

    func hello(token: String) async throws {
        let hello = Hello(
            minimumProtocol: 1, maximumProtocol: 1, token: token, deviceClass: .phone, incarnation: Incarnation(1),
            cursor: nil, collections: [])
        try await channel.writeAndFlush(ByteBuffer(bytes: FrameCodec.frame(ClientMessage.hello(hello))))
    }

    /// Starts reading.
    func listen() async throws { try await channel.setOption(.autoRead, value: true).get() }

    /// The next message, heartbeats too.
    func next(within seconds: Double = 180) async throws -> ServerMessage { try await inbox.take(within: seconds) }

    func close() async { try? await channel.close() }

    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private var splitter = FrameSplitter(limit: 4 * 1024 * 1024)
        private let inbox: Inbox

        init(_ inbox: Inbox) { self.inbox = inbox }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            splitter.feed(unwrapInboundIn(data).readableBytesView)
            do {
                while let frame = try splitter.next() { inbox.put(try FrameCodec.decodeServer(frame)) }
            } catch {
                inbox.finish()
            }
        }

        func channelInactive(context: ChannelHandlerContext) { inbox.finish() }
    }
}
