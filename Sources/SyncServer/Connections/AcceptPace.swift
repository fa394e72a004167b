import Glibc
import Logging
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
    /// The pause after a connection could not be accepted, for want of descriptors for one: the kernel would offer it
    /// again at once, and the event loop would do nothing else.
    static let pauseAfterFailure = TimeAmount.milliseconds(100)
    /// How often a failure is logged at most.
    private static let logInterval = TimeAmount.seconds(10)

    private var accepted: Int64 = 0
    private var isPausing = false
    private var logsFrom = NIODeadline.uptimeNanoseconds(0)
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        accepted += 1
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A client that left before it was accepted is no failure of ours.
        guard (error as? IOError)?.errnoCode != ECONNABORTED else { return }
        pause(context)
        let now = context.eventLoop.now
        guard now >= logsFrom else { return }
        logsFrom = now + Self.logInterval
        logger.error("connections cannot be accepted", metadata: ["error": "\(error)"])
    }

    /// Has nothing accepted for a while. NIO asks this handler for no read after a failure: it takes the read that failed
    /// for one that is still to be done, and only without `autoRead` is the socket not looked at.
    private func pause(_ context: ChannelHandlerContext) {
        guard !isPausing else { return }
        isPausing = true
        setReading(false, context)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.pauseAfterFailure) {
            let (pace, context) = bound.value
            (pace.isPausing, pace.accepted) = (false, 0)
            pace.setReading(true, context)
        }
    }

    private func setReading(_ isOn: Bool, _ context: ChannelHandlerContext) {
        do {
            try context.channel.syncOptions?.setOption(.autoRead, value: isOn)
        } catch {
            // Only a closed channel refuses the option.
            logger.debug("accepting not changed", metadata: ["error": "\(error)"])
        }
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
