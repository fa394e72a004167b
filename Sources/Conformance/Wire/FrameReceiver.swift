import FocusCore
import FocusWire
import NIOCore
import NIOSSL
import NIOTLS

/// Turns bytes from the server into messages, and puts them into an inbox.
final class FrameReceiver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The limit is Welcome's, which holds in both directions.
    private var splitter = FrameSplitter(limit: FrameCodec.maximumBytes)
    private let inbox: Inbox
    private let answersPings: Bool
    private let isSecured: Bool
    /// Succeeds when the connection can be used: when it stands, and TLS, if any, has agreed on the protocol.
    private let ready: EventLoopPromise<Void>

    init(_ inbox: Inbox, answersPings: Bool, isSecured: Bool, ready: EventLoopPromise<Void>) {
        self.inbox = inbox
        self.answersPings = answersPings
        self.isSecured = isSecured
        self.ready = ready
    }

    func channelActive(context: ChannelHandlerContext) {
        if !isSecured { ready.succeed() }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let name)? = event as? TLSUserEvent {
            if name == "focus-sync/1" {
                ready.succeed()
            } else {
                ready.fail(CaseFailure("TLS agreed on ALPN \(name ?? "nothing") instead of focus-sync/1"))
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        inbox.received(bytes: bytes.readableBytes)
        splitter.feed(bytes.readableBytesView)
        do {
            while let frame = try splitter.next() { deliver(try FrameCodec.decodeServer(frame), context) }
        } catch {
            inbox.end(CaseFailure("the server sent what is no frame: \(error.message)"))
            context.close(promise: nil)
        }
    }

    private func deliver(_ message: ServerMessage, _ context: ChannelHandlerContext) {
        if answersPings, case .ping(let nonce) = message {
            let pong = context.channel.allocator.buffer(bytes: FrameCodec.frame(ClientMessage.pong(nonce)))
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        }
        inbox.enqueue(message)
    }

    func channelInactive(context: ChannelHandlerContext) {
        ready.fail(Silence.closed)
        inbox.end(Silence.closed)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A reset counts as an end: the server closed with bytes of ours unread.
        ready.fail(error)
        inbox.end(Silence.closed)
        context.close(promise: nil)
    }
}
