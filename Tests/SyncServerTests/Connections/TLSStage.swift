import EventStore
import FocusCore
import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOSSL
import Support
import Tokens

@testable import SyncServer

/// A connection of the server over TLS and its device, on an event loop whose time the test moves. Bytes reach the other
/// end when the test carries them.
final class TLSStage {
    let eventLoop = EmbeddedEventLoop()
    let server: EmbeddedChannel
    let socket = CloggedSocket()
    private let device: EmbeddedChannel
    private let services: ConnectionServices
    private let isEmpty = NIOLockedValueBox(false)

    /// Whether the server has no connection any more since it sent all away.
    var isOver: Bool { isEmpty.withLockedValue { $0 } }

    init() throws {
        let files = try KnownCertificate()
        defer { try? FileManager.default.removeItem(atPath: files.directory) }
        let security = SyncServerConfiguration.Security.tls(
            certificateFile: files.certificate, keyFile: files.key)
        guard let certificate = try ServerCertificate(security) else { throw SyncServerError.notListening }
        services = Self.services()
        let gate = HandshakePaces(ConnectionLimits(), clock: services.clock).gate(1, on: eventLoop)
        server = EmbeddedChannel(
            handlers: [
                socket, gate, NIOSSLServerHandler(context: certificate.context), HandshakeEnd(of: gate),
                SessionHandler(id: 1, services: services),
            ], loop: eventLoop)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        let handler = try NIOSSLClientHandler(context: NIOSSLContext(configuration: tls), serverHostname: nil)
        device = EmbeddedChannel(handlers: [handler], loop: eventLoop)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        for channel in [server, device] { channel.connect(to: address, promise: nil) }
    }

    private static func services() -> ConnectionServices {
        let limits = SessionLimits()
        return ConnectionServices(
            limits: limits, format: LogFormat(EventStore.incarnationFormat), clock: .system,
            tokens: ReplaceableVerifier(TokenVerifier(.secret([UInt8](repeating: 7, count: 32)))),
            lanes: Lanes(lanes: [Lane(name: "lane")], partitions: 1), budget: InboundBudget(limit: 1 << 20),
            parts: PartialFrames(limit: 1 << 20), quotas: RequestQuotas(limits),
            connections: ConnectionRegistry(limits: ConnectionLimits()),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, isFresh: { _ in true })
    }

    /// What the device has sent comes to the server.
    func carryToServer() throws { try carry(from: device, to: server) }

    func carryToDevice() throws { try carry(from: server, to: device) }

    private func carry(from sender: EmbeddedChannel, to receiver: EmbeddedChannel) throws {
        while let bytes = try sender.readOutbound(as: ByteBuffer.self) {
            try receiver.writeInbound(bytes)
        }
    }

    func finishHandshake() throws {
        // The second piece waits for its turn.
        for _ in 0..<2 {
            try carryToServer()
            eventLoop.advanceTime(by: .milliseconds(100))
            try carryToDevice()
        }
    }

    /// What a server does that stops.
    func sendEverybodyAway() {
        services.connections.goAway(.shuttingDown) { [isEmpty] in isEmpty.withLockedValue { $0 = true } }
        eventLoop.run()
    }

    /// Ends what is still open: a channel that is open holds itself.
    func finish() {
        socket.isClogged = false
        for channel in [server, device] { channel.close(promise: nil) }
        eventLoop.advanceTime(by: .seconds(60))
    }
}

/// A socket that takes nothing more while it is clogged.
final class CloggedSocket: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    var isClogged = false
    private var waiting: [EventLoopPromise<Void>] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isClogged else { return context.write(data, promise: promise) }
        if let promise { waiting.append(promise) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        for promise in waiting { promise.fail(ChannelError.ioOnClosedChannel) }
        waiting = []
        context.fireChannelInactive()
    }
}
