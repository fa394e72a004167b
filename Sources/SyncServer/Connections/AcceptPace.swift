import NIOCore

/// Takes new connections a few at a time, so that thousands that come at once (rule F5) delay nobody who is there
/// (rule F3): between two batches the event loop serves everybody else. The kernel's backlog holds those who wait.
///
/// A server whose loop is busy runs the next batch late, and so takes fewer.
final class AcceptPace: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = any Channel

    /// Connections of one batch. One costs about a third of a millisecond until its Hello is answered, more with TLS.
    static let batch: UInt = 16
    private static let pause = TimeAmount.milliseconds(4)
    private var hasAccepted = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasAccepted = true
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        // A connection that comes alone does not wait: the pause follows those that were taken.
        guard hasAccepted else { return context.read() }
        hasAccepted = false
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.pause) { bound.value.read() }
    }
}
