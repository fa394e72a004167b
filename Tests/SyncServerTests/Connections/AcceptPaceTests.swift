import Glibc
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import SyncServer

/// When a listener accepts again.
@Suite struct AcceptPaceTests {
    @Test("Q2: after a connection that could not be accepted there is a pause; none after one that went by itself")
    func descriptorsUsedUp() throws {
        let reads = CountedReads()
        let pace = AcceptPace(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let channel = EmbeddedChannel(handlers: [reads, pace])
        let before = reads.count
        channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
        channel.pipeline.read()
        #expect(reads.count == before, "the kernel would offer the connection again at once")
        channel.embeddedEventLoop.advanceTime(by: AcceptPace.pauseAfterFailure)
        #expect(reads.count == before + 1)
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNABORTED, reason: "accept"))
        channel.pipeline.read()
        #expect(reads.count == before + 2)
    }
}

private final class CountedReads: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}
