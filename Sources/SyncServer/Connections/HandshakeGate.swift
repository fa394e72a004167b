import NIOCore
import NIOTLS

/// Holds what a connection sends in front of TLS until its turn comes (`HandshakePace`). It leaves the pipeline when the
/// handshake ends.
final class HandshakeGate: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// The connection's.
    let id: UInt64
    /// Where the connection waits.
    private(set) var line = HandshakeQueue.Line()
    private let pace: HandshakePace
    private let limits: ConnectionLimits
    /// What came since the last turn; nil while nothing waits. Nothing more is read meanwhile, so it is bounded by what
    /// one look at the socket reads.
    private var held: ByteBuffer?
    private var wantsRead = false
    private var isPassing = false
    private var isOver = false
    private var context: ChannelHandlerContext?

    init(id: UInt64, _ pace: HandshakePace, _ limits: ConnectionLimits) {
        (self.id, self.pace, self.limits) = (id, pace, limits)
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        drop()
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        line.address = limits.bounded(context.remoteAddress.flatMap(ClientAddress.init))
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        drop()
        context.fireChannelInactive()
    }

    /// A proxy says for whom it has connected, before anything of its client comes.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let proxied = event as? ProxiedAddress { line.address = limits.bounded(proxied.address) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard held == nil else {
            held?.writeBuffer(&bytes)
            return
        }
        held = bytes
        pace.enter(self)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if held == nil { context.fireChannelReadComplete() }
    }

    func read(context: ChannelHandlerContext) {
        if held == nil { context.read() } else { wantsRead = true }
    }

    // MARK: Turns

    /// Gives TLS what waits.
    func pass() {
        guard let bytes = held else { return }
        (held, isPassing, line.hasBegun) = (nil, true, true)
        // The connection may be closed by any of these.
        context?.fireChannelRead(wrapInboundOut(bytes))
        context?.fireChannelReadComplete()
        isPassing = false
        if wantsRead { context?.read() }
        wantsRead = false
        if isOver { leave() }
    }

    /// Ends the gate, because the handshake is over.
    func finish() {
        isOver = true
        if !isPassing { leave() }
    }

    private func leave() {
        if let context { context.pipeline.syncOperations.removeHandler(self, promise: nil) }
    }

    private func drop() {
        if held != nil { pace.leave(self) }
        held = nil
    }
}

/// Tells the gate in front of TLS, behind which it stands, of the handshake's end.
final class HandshakeEnd: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let gate: HandshakeGate

    init(of gate: HandshakeGate) { self.gate = gate }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        guard case .handshakeCompleted? = event as? TLSUserEvent else { return }
        gate.finish()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
