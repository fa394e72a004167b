import FocusCore
import FocusWire
import NIOCore
import NIOPosix

/// A client that does not read until it is told to: its receive window fills up and stays full.
final class DeafClient: Sendable {
    private let channel: any Channel
    private let messages: AsyncThrowingStream<ServerMessage, any Error>
    private let iterator: Iterator

    private init(_ channel: any Channel, _ messages: AsyncThrowingStream<ServerMessage, any Error>) {
        self.channel = channel
        self.messages = messages
        iterator = Iterator(messages.makeAsyncIterator())
    }

    static func connect(port: Int) async throws -> DeafClient {
        let (stream, continuation) = AsyncThrowingStream<ServerMessage, any Error>.makeStream()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: 16_384)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Receiver(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return DeafClient(channel, stream)
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

    func next() async throws -> ServerMessage {
        guard let message = try await iterator.next() else { throw WireError.closed }
        return message
    }

    func close() async { try? await channel.close() }

    private actor Iterator {
        private var iterator: AsyncThrowingStream<ServerMessage, any Error>.AsyncIterator
        init(_ iterator: AsyncThrowingStream<ServerMessage, any Error>.AsyncIterator) { self.iterator = iterator }
        func next() async throws -> ServerMessage? {
            var copy = iterator
            defer { iterator = copy }
            return try await copy.next(isolation: self)
        }
    }

    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private var splitter = FrameSplitter(limit: 4 * 1024 * 1024)
        private let messages: AsyncThrowingStream<ServerMessage, any Error>.Continuation

        init(_ messages: AsyncThrowingStream<ServerMessage, any Error>.Continuation) { self.messages = messages }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            splitter.feed(unwrapInboundIn(data).readableBytesView)
            do {
                while let frame = try splitter.next() { messages.yield(try FrameCodec.decodeServer(frame)) }
            } catch {
                messages.finish(throwing: error)
            }
        }

        func channelInactive(context: ChannelHandlerContext) { messages.finish() }
    }
}
