import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Support

@testable import Listeners

/// A listener in a process that may open no more files for a while. For a process of its own.
enum DescriptorShortage {
    /// How long the shortage lasts: three pauses, and a part of the fourth.
    private static let duration = AcceptFailurePause.duration * 3 + .milliseconds(50)

    /// How many times the listener fails to accept the one connection that waits, until it does.
    static func countFailures() async throws -> Int {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (failures, accepted) = (NIOLockedValueBox(0), group.next().makePromise(of: Void.self))
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.autoRead, value: false)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let counter = FailureCounter(failures) { DescriptorLimit.set(.max) }
                    let pace = AcceptFailurePause(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                    try channel.pipeline.syncOperations.addHandlers([counter, pace])
                }
            }
            .childChannelInitializer { channel in
                accepted.succeed()
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let client = try RawConnection(port: listener.localAddress?.port ?? 0)
        DescriptorLimit.set(3)
        try await listener.setOption(.autoRead, value: true).get()
        try await accepted.futureResult.get()
        return withExtendedLifetime(client) { failures.withLockedValue { $0 } }
    }

    /// Counts what a listener fails to accept; the first time it plans the end of the shortage.
    private final class FailureCounter: ChannelInboundHandler, Sendable {
        typealias InboundIn = any Channel

        private let failures: NIOLockedValueBox<Int>
        private let end: @Sendable () -> Void

        init(_ failures: NIOLockedValueBox<Int>, end: @escaping @Sendable () -> Void) {
            (self.failures, self.end) = (failures, end)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            let isFirst = failures.withLockedValue { count in
                count += 1
                return count == 1
            }
            if isFirst { context.eventLoop.scheduleTask(in: duration, end) }
            context.fireErrorCaught(error)
        }
    }
}
