import FocusCore
import FocusWire
import NIOCore
import NIOPosix

/// A TCP connection that carries the sync protocol's frames: it receives and sends messages, and answers pings. It does
/// not interpret them; `ClientSession` does.
///
/// Reading stops while nobody consumes the messages, so a slow reader holds a bounded number of them. Sending does not
/// wait: the caller bounds what is unanswered, as the protocol asks (rule P9).
public final class SyncConnection: Sendable {
    private let channel: any Channel
    /// The server's messages, in order. They end when the connection does, and throw `FrameError` or an I/O error. They
    /// are for one reader; when it stops early, the connection is closed.
    public let messages: ServerMessages

    private init(channel: any Channel, messages: ServerMessages) {
        self.channel = channel
        self.messages = messages
    }

    /// Connects, and performs the TLS handshake if `security` asks for TLS.
    /// - Throws: `SyncClientError.plaintextBeyondLoopback`, `.cannotConnect`.
    public static func connect(
        to address: ServerAddress, security: ConnectionSecurity,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, timeout: Duration = .seconds(10)
    ) async throws(SyncClientError) -> SyncConnection {
        if security == .plaintext, !address.isLoopback { throw .plaintextBeyondLoopback(address.host) }
        do {
            let opened = try await ClientBootstrap(group: group)
                .connectTimeout(.nanoseconds(timeout.nanoseconds))
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connect(host: address.host, port: address.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if let tls = try security.handler(for: address) { try pipeline.addHandler(tls) }
                        let new = ServerMessages.makeSource(channel: channel)
                        try pipeline.addHandler(ServerFrameHandler(new.source))
                        return Opened(channel: channel, messages: new.messages)
                    }
                }
            return SyncConnection(channel: opened.channel, messages: opened.messages)
        } catch {
            throw .cannotConnect(address, reason: ConnectionProblem.text(error))
        }
    }

    private struct Opened: Sendable {
        let channel: any Channel
        let messages: ServerMessages
    }

    /// Sends a message after those that were sent before, and flushes. Does not throw: when the connection is gone,
    /// `messages` ends or throws.
    public func send(_ message: ClientMessage) {
        send(bytes: FrameCodec.frame(message))
    }

    /// Sends bytes as they are. They are whole frames, except in tests.
    public func send(bytes: [UInt8]) {
        channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil)
    }

    /// Closes the connection at once. Safe to call twice.
    public func close() { channel.close(promise: nil) }

    /// Completes when the connection is closed.
    public func waitUntilClosed() async {
        // A channel's close future never fails.
        try? await channel.closeFuture.get()
    }
}

extension Duration {
    /// The duration in nanoseconds; `Int64.max` or `.min` when that is beyond its range.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds > 0 ? .max : .min }
        return whole.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue
    }
}
