import NIOCore
import NIOHTTP1

/// Answers the one request of a connection, and closes it. A request has no body: nothing can be changed here.
final class AdminHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let answers: AdminAnswers
    private let patience: Duration
    private var head: HTTPRequestHead?
    private var isAnswered = false
    private var deadline: Scheduled<Void>?

    init(_ answers: AdminAnswers, patience: Duration) { (self.answers, self.patience) = (answers, patience) }

    /// The channel may have been active before the handlers came.
    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(patience)) { channel.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isAnswered else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: write(.error(413, "content_too_large", "A request has no body here."), context)
        case .end:
            guard let head else { return }
            isAnswered = true
            answer(AdminRequest(head), context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is RequestBound.Exceeded else { return context.fireUserInboundEventTriggered(event) }
        if !isAnswered { write(.error(431, "request_too_large", "The request is too long."), context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, !isAnswered else { return context.close(promise: nil) }
        write(.error(400, "bad_request", "That is no request of HTTP/1.1."), context)
    }

    private func answer(_ request: AdminRequest, _ context: ChannelHandlerContext) {
        if let response = answers.answerAtOnce(request) { return write(response, context) }
        let answers = answers
        let loop = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.makeFutureWithTask { await answers.answer(request) }
            .whenSuccess { response in
                let (handler, context) = loop.value
                if context.channel.isActive { handler.write(response, context) }
            }
    }

    private func write(_ response: AdminResponse, _ context: ChannelHandlerContext) {
        isAnswered = true
        var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
        headers.add(name: "Content-Type", value: response.type)
        headers.add(name: "Content-Length", value: String(response.body.count))
        headers.add(name: "Cache-Control", value: "no-store")
        headers.add(name: "X-Content-Type-Options", value: "nosniff")
        headers.add(name: "Connection", value: "close")
        let status = HTTPResponseStatus(statusCode: response.status)
        context.write(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))))
            .cascade(to: nil)
        let body = context.channel.allocator.buffer(bytes: response.body)
        context.write(wrapOutboundOut(.body(.byteBuffer(body)))).cascade(to: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
