import FocusCore
import FocusWire
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A server that says what a test wants, and keeps the tokens that devices connect with.
final class ScriptedServer: Sendable {
    private struct State {
        var tokens: [String] = []
        var channels: [any Channel] = []
    }

    let port: Int
    private let listener: any Channel
    private let state: NIOLockedValueBox<State>

    private init(_ listener: any Channel, _ state: NIOLockedValueBox<State>) {
        (self.listener, self.state) = (listener, state)
        port = listener.localAddress?.port ?? 0
    }

    static func start() async throws -> ScriptedServer {
        let state = NIOLockedValueBox(State())
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let hears = Hearing { token in
                        state.withLockedValue {
                            $0.tokens.append(token)
                            $0.channels.append(channel)
                        }
                    }
                    try channel.pipeline.syncOperations.addHandler(hears)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ScriptedServer(listener, state)
    }

    /// The tokens of all Hellos so far.
    var tokens: [String] { state.withLockedValue { $0.tokens } }

    /// Says this to the connection whose Hello came last.
    func say(_ messages: ServerMessage...) async throws {
        guard let channel = state.withLockedValue({ $0.channels.last }) else { return }
        for message in messages { try await channel.writeAndFlush(ByteBuffer(bytes: FrameCodec.frame(message))) }
    }

    /// Closes the connection whose Hello came last.
    func closeLast() async throws { try await state.withLockedValue { $0.channels.last }?.close() }

    func stop() async throws {
        try await listener.close()
        for channel in state.withLockedValue({ $0.channels }) where channel.isActive { try await channel.close() }
    }
}

/// Tells the token of each Hello.
private final class Hearing: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private var splitter = FrameSplitter(limit: FrameCodec.maximumBytes)
    private let hello: @Sendable (String) -> Void

    init(_ hello: @escaping @Sendable (String) -> Void) { self.hello = hello }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        splitter.feed(unwrapInboundIn(data).readableBytesView)
        do {
            while let frame = try splitter.next() {
                if case .hello(let message) = try FrameCodec.decodeClient(frame) { hello(message.token) }
            }
        } catch {
            context.close(promise: nil)
        }
    }
}
