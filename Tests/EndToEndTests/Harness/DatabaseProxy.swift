import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Support

/// The way to a database: a socket in front of the database's own, which a test can silence or close; over TCP it can
/// vanish, too.
final class DatabaseProxy: Sendable {
    private struct State {
        /// Bytes pass on connections of this life of the proxy; on those of earlier lives they vanish.
        var life = 0
        var isSilent = false
        /// Whether the database gets what it is sent while its answers vanish.
        var requestsPass = false
        /// The statement whose first request from now on silences the database.
        var trigger: [UInt8]?
        var open: [ObjectIdentifier: any Channel] = [:]
        /// Those of `open` that clients connected.
        var clients: Set<ObjectIdentifier> = []
        var listener: (any Channel)?
    }

    /// The value for a server's `--database`.
    let conninfo: String
    private let directory: String
    private let socket: String
    /// Nil: connections come over the socket.
    private let port: ReservedPort?
    private let upstream: String
    private let state = NIOLockedValueBox(State())

    private init(_ conninfo: String, overTCP: Bool) throws {
        func value(_ name: String) throws -> String {
            guard let start = conninfo.range(of: "\(name)='")?.upperBound,
                let end = conninfo[start...].firstIndex(of: "'")
            else { throw NeverHappened(description: "no \(name) in \(conninfo)") }
            return String(conninfo[start..<end])
        }
        let (host, port) = (try value("host"), try value("port"))
        directory = try TestDirectory.make()
        socket = "\(directory)/.s.PGSQL.\(port)"
        upstream = "\(host)/.s.PGSQL.\(port)"
        self.port = overTCP ? try ReservedPort() : nil
        // A test that closes the way must not wait a minute for each attempt to connect.
        let (way, number) = (overTCP ? "127.0.0.1" : directory, self.port.map { "\($0.number)" } ?? port)
        self.conninfo = conninfo.replacingOccurrences(of: "host='\(host)'", with: "host='\(way)'")
            .replacingOccurrences(of: "port='\(port)'", with: "port='\(number)'")
            .replacingOccurrences(of: "connect_timeout=60", with: "connect_timeout=2")
    }

    /// - Parameter conninfo: of a cluster that tests have started.
    static func start(_ conninfo: String, overTCP: Bool = false) async throws -> DatabaseProxy {
        let proxy = try DatabaseProxy(conninfo, overTCP: overTCP)
        try await proxy.open()
        return proxy
    }

    /// Lets connections through, after `close`.
    func open() async throws {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { [self] in relay($0) }
        let listener =
            if let port {
                try await bootstrap.bind(host: "127.0.0.1", port: port.number).get()
            } else {
                try await bootstrap.bind(unixDomainSocketPath: socket, cleanupExistingSocketFile: true).get()
            }
        state.withLockedValue { $0.listener = listener }
    }

    /// From now on nothing passes, on connections that there are and on new ones, and neither end is told.
    func silence() { state.withLockedValue { Self.silence(&$0, requestsPass: false) } }

    /// Once this statement is asked for, the database's answers vanish; what it is sent passes.
    func silence(from statement: String) { state.withLockedValue { $0.trigger = Array(statement.utf8) } }

    /// The host is gone, for connections that there are: it acknowledges nothing any more, not even that its kernel got
    /// something. New connections are let through, as to the host that took its place.
    func vanish() async throws {
        let clients = state.withLockedValue { state in
            state.life += 1
            state.trigger = nil
            return state.clients.compactMap { state.open[$0] as? any SocketOptionProvider }
        }
        for client in clients { try await DroppingFilter.attach(to: client) }
    }

    private static func silence(_ state: inout State, requestsPass: Bool) {
        state.life += 1
        (state.isSilent, state.requestsPass, state.trigger) = (true, requestsPass, nil)
    }

    /// Lets new connections through. Those that were silenced stay silent.
    func heal() { state.withLockedValue { $0.isSilent = false } }

    /// Ends all connections; new ones are refused.
    func close() async throws {
        try await state.withLockedValue { $0.listener.take() }?.close()
        let open = state.withLockedValue { Array($0.open.values) }
        for channel in open { channel.close(promise: nil) }
    }

    func stop() async throws {
        try await close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    fileprivate func passes(_ life: Int, isRequest: Bool) -> Bool {
        state.withLockedValue { $0.life == life || isRequest && $0.requestsPass }
    }

    fileprivate func saw(request: ByteBufferView) {
        state.withLockedValue { state in
            guard let trigger = state.trigger, request.firstRange(of: trigger) != nil else { return }
            Self.silence(&state, requestsPass: true)
        }
    }

    private func relay(_ client: any Channel) -> EventLoopFuture<Void> {
        let life = state.withLockedValue { $0.isSilent ? -1 : $0.life }
        keep(client)
        state.withLockedValue { _ = $0.clients.insert(ObjectIdentifier(client)) }
        return ClientBootstrap(group: client.eventLoop).channelOption(.autoRead, value: false)
            .connect(unixDomainSocketPath: upstream)
            .flatMapThrowing { [self] server in
                keep(server)
                try client.pipeline.syncOperations.addHandler(Passage(to: server, self, life, isRequest: true))
                try server.pipeline.syncOperations.addHandler(Passage(to: client, self, life, isRequest: false))
                for channel in [client, server] { try channel.syncOptions?.setOption(.autoRead, value: true) }
            }
    }

    private func keep(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLockedValue { $0.open[id] = channel }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLockedValue {
                $0.open[id] = nil
                $0.clients.remove(id)
            }
        }
    }
}

/// One direction of a connection.
private final class Passage: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let peer: any Channel
    private let proxy: DatabaseProxy
    private let life: Int
    private let isRequest: Bool

    init(to peer: any Channel, _ proxy: DatabaseProxy, _ life: Int, isRequest: Bool) {
        (self.peer, self.proxy, self.life, self.isRequest) = (peer, proxy, life, isRequest)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if isRequest { proxy.saw(request: bytes.readableBytesView) }
        guard proxy.passes(life, isRequest: isRequest) else { return }
        peer.writeAndFlush(bytes, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if proxy.passes(life, isRequest: isRequest) { peer.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
