import FocusCore
import FocusWire
import NIOCore

/// Turns bytes from the server into messages. It answers pings, and also delivers them, as a sign of life (rule L4).
final class ServerFrameHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let source: ServerMessages.Producer.Source
    private var splitter = FrameSplitter(limit: FrameCodec.maximumBytes)
    private var isFinished = false

    init(_ source: ServerMessages.Producer.Source) { self.source = source }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isFinished else { return }
        unwrapInboundIn(data).withUnsafeReadableBytes { splitter.feed($0) }
        do {
            while let frame = try splitter.next() {
                deliver(try FrameCodec.decodeServer(frame), context)
            }
        } catch {
            finish(error)
            context.close(promise: nil)
        }
    }

    private func deliver(_ message: ServerMessage, _ context: ChannelHandlerContext) {
        // Bytes that wait to be sent are a sign of life themselves, and pongs must not pile up behind them.
        if case .ping(let nonce) = message, context.channel.isWritable {
            let pong = context.channel.allocator.buffer(bytes: FrameCodec.frame(ClientMessage.pong(nonce)))
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        }
        switch source.yield(message) {
        case .produceMore: break
        case .stopProducing:
            do {
                try context.channel.syncOptions?.setOption(.autoRead, value: false)
            } catch {
                finish(error)
            }
        case .dropped: context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(nil)
        context.fireChannelInactive()
    }

    private func finish(_ error: (any Error)?) {
        guard !isFinished else { return }
        isFinished = true
        if let error { source.finish(error) } else { source.finish() }
    }
}
