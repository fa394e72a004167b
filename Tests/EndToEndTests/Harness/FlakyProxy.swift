import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import SeededNumbers

/// A network between devices and a server: TCP connections through it are delayed, split and sometimes cut as a seed
/// says, and held for a while by `partition`. The bytes of a connection stay in order.
final class FlakyProxy: Sendable {
    private struct State {
        var random: SplitMix64
        var connections = 0
        var heldUntil = NIODeadline.uptimeNanoseconds(0)
        var open: [ObjectIdentifier: any Channel] = [:]
        var listener: (any Channel)?
    }

    private let upstream: Int
    private let state: NIOLockedValueBox<State>

    private init(upstream: Int, seed: UInt64) {
        self.upstream = upstream
        state = NIOLockedValueBox(State(random: SplitMix64(seed: seed)))
    }

    /// - Parameter upstream: the server's port on loopback; the server may come and go.
    static func start(upstream: Int, seed: UInt64) async throws -> FlakyProxy {
        let proxy = FlakyProxy(upstream: upstream, seed: seed)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { proxy.relay($0) }
            .bind(host: "127.0.0.1", port: 0).get()
        proxy.state.withLockedValue { $0.listener = listener }
        return proxy
    }

    var port: Int { state.withLockedValue { $0.listener?.localAddress?.port ?? 0 } }

    /// For this time nothing passes, and neither end is told.
    func partition(milliseconds: Int64) {
        state.withLockedValue { $0.heldUntil = .now() + .milliseconds(milliseconds) }
    }

    /// Closes every connection, whatever is under way on it.
    func cutAll() {
        let open = state.withLockedValue { Array($0.open.values) }
        for channel in open { channel.close(promise: nil) }
    }

    func stop() async throws {
        try await state.withLockedValue { $0.listener.take() }?.close()
        cutAll()
    }

    fileprivate var heldUntil: NIODeadline { state.withLockedValue { $0.heldUntil } }

    private func relay(_ device: any Channel) -> EventLoopFuture<Void> {
        let dice = state.withLockedValue { state in
            state.connections += 1
            return (SplitMix64(seed: state.random.next()), SplitMix64(seed: state.random.next()))
        }
        note(device)
        return ClientBootstrap(group: device.eventLoop).channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: upstream)
            .flatMapThrowing { [self] server in
                note(server)
                try device.pipeline.syncOperations.addHandler(Relay(to: server, self, dice.0))
                try server.pipeline.syncOperations.addHandler(Relay(to: device, self, dice.1))
                for channel in [device, server] { try channel.syncOptions?.setOption(.autoRead, value: true) }
            }
    }

    private func note(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLockedValue { $0.open[id] = channel }
        channel.closeFuture.whenComplete { [self] _ in state.withLockedValue { _ = $0.open.removeValue(forKey: id) } }
    }
}

/// One direction of a connection.
private final class Relay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private static let longestDelayMicroseconds: Int64 = 15_000
    /// On average one read in this many closes the connection.
    private static let readsPerCut = 400

    private let peer: any Channel
    private let proxy: FlakyProxy
    private var random: SplitMix64
    private var pieces: [ByteBuffer] = []
    private var last = NIODeadline.now()

    init(to peer: any Channel, _ proxy: FlakyProxy, _ random: SplitMix64) {
        self.peer = peer
        self.proxy = proxy
        self.random = random
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard Int.random(in: 0..<Self.readsPerCut, using: &random) > 0 else { return context.close(promise: nil) }
        var buffer = unwrapInboundIn(data)
        while buffer.readableBytes > 0 {
            let isWhole = Int.random(in: 0..<3, using: &random) > 0
            let count = isWhole ? buffer.readableBytes : Int.random(in: 1...buffer.readableBytes, using: &random)
            guard let piece = buffer.readSlice(length: count) else { break }
            pieces.append(piece)
            let delay = Int64.random(in: 0...Self.longestDelayMicroseconds, using: &random)
            last = max(last, .now() + .microseconds(delay))
            pass(context, at: last)
        }
    }

    /// Passes the oldest waiting piece on at this time, or when the partition is over.
    private func pass(_ context: ChannelHandlerContext, at time: NIODeadline) {
        let loop = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(deadline: time) {
            let (relay, context) = loop.value
            let held = relay.proxy.heldUntil
            guard held <= .now() else { return relay.pass(context, at: held) }
            if !relay.pieces.isEmpty { relay.peer.writeAndFlush(relay.pieces.removeFirst(), promise: nil) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) { peer.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
