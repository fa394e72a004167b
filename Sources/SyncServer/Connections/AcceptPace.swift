import NIOCore

/// Accepts new connections a few at a time, so that thousands that come at once (rule L5) do not delay the sessions
/// that are open (rule L3): between two batches the event loop serves everybody else. The kernel's backlog holds the
/// connections that wait.
///
/// A busy event loop runs the next batch later, and so accepts fewer connections a second.
final class AcceptPace: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = any Channel

    /// Connections in one batch. Each costs about a third of a millisecond until its Hello is answered, more with TLS.
    static let batch: UInt = 16
    /// The pause after a batch, for each connection in it. It is no longer than a connection costs, so one that comes
    /// just after a single other one hardly waits.
    private static let pause = TimeAmount.microseconds(250)

    private var accepted: Int64 = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        accepted += 1
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        // Without connections since the last read there is no pause: a connection that comes alone does not wait.
        guard accepted > 0 else { return context.read() }
        let pause = Self.pause * accepted
        accepted = 0
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: pause) { bound.value.read() }
    }
}
