import NIOCore

/// Bounds the bytes that a connection sends, which is one request. Past the bound nothing is read any more.
final class RequestBound: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Tells the handlers behind it that the request is too long.
    struct Exceeded {}

    private var left: Int

    init(bytes: Int) { left = bytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard left >= 0 else { return }
        let buffer = unwrapInboundIn(data)
        left -= buffer.readableBytes
        guard left >= 0 else { return context.fireUserInboundEventTriggered(Exceeded()) }
        context.fireChannelRead(wrapInboundOut(buffer))
    }
}
