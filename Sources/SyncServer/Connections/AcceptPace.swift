import NIOCore

/// Takes new connections a few at a time, so that thousands that come at once (rule L5) delay nobody who is there
/// (rule L3): between two batches the event loop serves everybody else. The kernel's backlog holds those who wait.
///
/// A server whose loop is busy runs the next batch late, and so takes fewer.
final class AcceptPace: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = any Channel

    /// Connections of one batch. One costs about a third of a millisecond until its Hello is answered, more with TLS.
    static let batch: UInt = 16
    /// For each that was taken: whoever comes a moment after one that came alone waits no longer than that one costs.
    private static let pause = TimeAmount.microseconds(250)
    private var accepted: Int64 = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        accepted += 1
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        // A connection that comes alone does not wait: the pause follows those that were taken.
        guard accepted > 0 else { return context.read() }
        let pause = Self.pause * accepted
        accepted = 0
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: pause) { bound.value.read() }
    }
}
