import FocusCore
import FocusWire
import NIOCore
import NIOPosix

/// A TCP connection that carries the sync protocol's frames: messages in, messages out, pings answered. Knows nothing
/// of what they mean; `ClientSession` does.
///
/// Reading stops while nobody takes the messages, so a slow reader holds a bounded number of them. Writing does not
/// wait: bound what is unanswered, as the protocol asks (rule P9).
public final class SyncConnection: Sendable {
    private let channel: any Channel
    /// What the server says, in order. Ends when the connection does; throws `FrameError` or an I/O error. For one
    /// reader; when it stops early, the connection is closed.
    public let messages: ServerMessages

    private init(channel: any Channel, messages: ServerMessages) {
        self.channel = channel
        self.messages = messages
    }

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

    /// Sends after what was sent before, and flushes. When the connection is gone, `messages` says so.
    public func send(_ message: ClientMessage) {
        send(bytes: FrameCodec.frame(message))
    }

    /// Sends bytes as they are: whole frames, unless a test wants otherwise.
    public func send(bytes: [UInt8]) {
        channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil)
    }

    /// Closes at once. Safe to call twice.
    public func close() { channel.close(promise: nil) }

    /// Completes when the connection is closed.
    public func waitUntilClosed() async {
        // A channel's close future never fails.
        try? await channel.closeFuture.get()
    }
}

extension Duration {
    /// Saturates at both ends.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds > 0 ? .max : .min }
        return whole.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue
    }
}
