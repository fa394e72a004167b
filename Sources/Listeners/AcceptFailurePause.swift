import Glibc
import Logging
import NIOCore

/// Has a listener that could not accept a connection, for want of descriptors for one, rest for a moment: the kernel
/// would offer the connection again at once, and the event loop would do nothing else. The kernel's backlog holds the
/// connections that wait.
public final class AcceptFailurePause: ChannelInboundHandler {
    public typealias InboundIn = any Channel

    /// How long nothing is accepted after a failure.
    static let duration = TimeAmount.milliseconds(100)
    /// How often a failure is logged at most.
    private static let logInterval = TimeAmount.seconds(10)

    private var isPausing = false
    private var logsFrom = NIODeadline.uptimeNanoseconds(0)
    private let logger: Logger

    /// - Parameter logger: hears of failures, every ten seconds at most.
    public init(logger: Logger) { self.logger = logger }

    /// Ends here: a listener is not closed for a connection that it could not accept.
    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A client that left before it was accepted is no failure of ours.
        guard (error as? IOError)?.errnoCode != ECONNABORTED else { return }
        pause(context)
        let now = context.eventLoop.now
        guard now >= logsFrom else { return }
        logsFrom = now + Self.logInterval
        logger.error("connections cannot be accepted", metadata: ["error": "\(error)"])
    }

    /// NIO asks handlers for no read after a failure: it takes the read that failed for one that is still to be done, and
    /// only without `autoRead` is the socket not looked at.
    private func pause(_ context: ChannelHandlerContext) {
        guard !isPausing else { return }
        isPausing = true
        setReading(false, context)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.duration) {
            let (handler, context) = bound.value
            handler.isPausing = false
            handler.setReading(true, context)
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
}
