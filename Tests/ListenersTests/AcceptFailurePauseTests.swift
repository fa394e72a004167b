import Glibc
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import Listeners

/// When a listener that failed to accept does so again.
@Suite struct AcceptFailurePauseTests {
    private static let shortage = IOError(errnoCode: EMFILE, reason: "accept")

    private let channel = EmbeddedChannel(
        handler: AcceptFailurePause(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))

    /// Whether the listener was told last to read; nil: it was told nothing.
    private var isReading: Bool? { channel.options.compactMap { $0.value as? Bool }.last }

    @Test("Q2: a socket without descriptors for those who connect is tried ten times a second, and then accepts them")
    func descriptorsUsedUp() async {
        // The limit holds for the whole process.
        await #expect(processExitsWith: .success) {
            let failures = try await DescriptorShortage.countFailures()
            #expect((1...5).contains(failures), "\(failures) times")
        }
    }

    @Test("Q2: connections that could not be accepted make one pause; one that went by itself makes none")
    func pauses() throws {
        defer { _ = try? channel.finish() }
        let half = TimeAmount.nanoseconds(AcceptFailurePause.duration.nanoseconds / 2)
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNABORTED, reason: "accept"))
        #expect(isReading == nil)
        channel.pipeline.fireErrorCaught(Self.shortage)
        channel.embeddedEventLoop.advanceTime(by: half)
        channel.pipeline.fireErrorCaught(Self.shortage)
        #expect(isReading == false)
        channel.embeddedEventLoop.advanceTime(by: half)
        #expect(isReading == true)
        channel.pipeline.fireErrorCaught(Self.shortage)
        channel.embeddedEventLoop.advanceTime(by: half)
        #expect(isReading == false, "the pause that is over is not taken for this one")
        channel.embeddedEventLoop.advanceTime(by: half)
        #expect(isReading == true)
    }

    @Test("Q2: a listener that is closed in a pause is left alone")
    func closed() throws {
        channel.pipeline.fireErrorCaught(Self.shortage)
        _ = try? channel.finish()
        channel.embeddedEventLoop.advanceTime(by: AcceptFailurePause.duration)
        #expect(isReading == false)
    }
}
