import FocusCore
import FocusWire
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

/// A server that says what a test wants, and keeps what devices say.
final class ScriptedServer: Sendable {
    private struct State {
        var heard: [ClientMessage] = []
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
                    let hears = Hearing { message in
                        state.withLockedValue {
                            $0.heard.append(message)
                            if case .hello = message { $0.channels.append(channel) }
                        }
                    }
                    try channel.pipeline.syncOperations.addHandler(hears)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ScriptedServer(listener, state)
    }

    /// The Welcome to a device that has appended nothing.
    static func welcome() throws -> Welcome {
        Welcome(
            protocolVersion: 2, session: "", log: try #require(LogID(bytes: [UInt8](repeating: 1, count: 16))),
            lastSequence: .zero, maximumFrameBytes: 1 << 20, maximumUnacknowledgedAppends: 64,
            heartbeatMilliseconds: 25_000, serverTime: .now, maximumFetches: 2)
    }

    /// All messages so far, of all connections.
    var heard: [ClientMessage] { state.withLockedValue { $0.heard } }

    /// The tokens of all Hellos so far.
    var tokens: [String] { heard.compactMap { if case .hello(let hello) = $0 { hello.token } else { nil } } }

    /// Says this to the connection whose Hello came last.
    func say(_ messages: ServerMessage...) async throws {
        guard let channel = state.withLockedValue({ $0.channels.last }) else { return }
        for message in messages { try await channel.writeAndFlush(ByteBuffer(bytes: FrameCodec.frame(message))) }
    }

    /// Closes the connection whose Hello came last.
    func closeLast() async throws {
        if let channel = state.withLockedValue({ $0.channels.last }) { try await Self.close(channel) }
    }

    func stop() async throws {
        try await listener.close()
        for channel in state.withLockedValue({ $0.channels }) { try await Self.close(channel) }
    }

    /// Closes a connection, which its device may close at the same moment.
    private static func close(_ channel: any Channel) async throws {
        channel.close(promise: nil)
        try await channel.closeFuture.get()
    }
}

/// Tells each message.
private final class Hearing: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private var splitter = FrameSplitter(limit: FrameCodec.maximumBytes)
    private let hear: @Sendable (ClientMessage) -> Void

    init(_ hear: @escaping @Sendable (ClientMessage) -> Void) { self.hear = hear }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        splitter.feed(unwrapInboundIn(data).readableBytesView)
        do {
            while let frame = try splitter.next() {
                hear(try FrameCodec.decodeClient(frame))
            }
        } catch {
            context.close(promise: nil)
        }
    }
}
