import Listeners
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// HTTP for machines that watch a server: whether it lives, whether it is ready, its figures, and questions that change
/// nothing. It knows nothing of the server but what `AdminSource` says.
///
/// Flow: bytes → `RequestBound` → HTTP → `AdminHandler` → `AdminAccess` (who may ask) → `AdminAnswers` → bytes.
///
/// It has an event loop of its own: whoever asks much of it slows no device down, and a flood of devices does not keep
/// it from answering.
public final class AdminPort: Sendable {
    private let configuration: AdminConfiguration
    private let source: any AdminSource
    private let logger: Logger
    /// What new connections get; nil: plaintext.
    private let tls: NIOLockedValueBox<NIOSSLContext?>
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Throws `AdminPortError.plaintextBeyondLoopback`, and what NIOSSL throws of a certificate or key that cannot be
    /// used. Nothing runs before `start`.
    /// - Parameter logger: hears of connections that cannot be accepted.
    public init(_ configuration: AdminConfiguration, source: any AdminSource, logger: Logger) throws {
        (self.configuration, self.source, self.logger) = (configuration, source, logger)
        tls = NIOLockedValueBox(try configuration.makeContext())
    }

    /// Reads the certificate and its key again, for new connections. Throws what NIOSSL throws of files that cannot be
    /// used; nothing changes then.
    public func reloadCertificate() throws {
        let new = try configuration.makeContext()
        tls.withLockedValue { $0 = new }
    }

    /// Begins to accept connections. Called once. Throws NIO's errors when the address cannot be bound.
    /// - Returns: the port.
    public func start() async throws -> Int {
        let connections = AdminConnections(limit: configuration.connections)
        let (configuration, source, tls, logger) = (configuration, source, tls, logger)
        // The names that a request may give the server hold the port, which is known once it is bound. Nothing is
        // accepted before `answers` is there.
        let answers = group.next().makePromise(of: AdminAnswers.self)
        do {
            let channel = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 256)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(AcceptFailurePause(logger: logger))
                    }
                }
                .childChannelInitializer { channel in
                    answers.futureResult.flatMapThrowing { answers in
                        connections.add(channel)
                        let pipeline = channel.pipeline.syncOperations
                        if let tls = tls.withLockedValue({ $0 }) {
                            try pipeline.addHandler(NIOSSLServerHandler(context: tls))
                        }
                        try pipeline.addHandler(RequestBound(bytes: configuration.requestBytes))
                        try pipeline.addHandler(HTTPResponseEncoder())
                        try pipeline.addHandler(
                            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
                        try pipeline.addHandler(AdminHandler(answers, patience: configuration.patience))
                    }
                }
                .bind(host: configuration.host, port: configuration.port).get()
            guard let port = channel.localAddress?.port else { throw AdminPortError.notListening }
            let access = AdminAccess(configuration, port: port, operatorName: source.operatorName)
            answers.succeed(AdminAnswers(source: source, access: access))
            return port
        } catch {
            answers.fail(error)
            try await stop()
            throw error
        }
    }

    /// Closes the port and all connections.
    public func stop() async throws { try await group.shutdownGracefully() }
}
