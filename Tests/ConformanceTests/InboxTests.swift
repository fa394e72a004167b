import FocusCore
import FocusWire
import NIOPosix
import Support
import Testing

@testable import Conformance

@Suite("Conformance: Inbox") struct InboxTests {
    @Test("A case that is cancelled while a message comes keeps nobody waiting")
    func cancelled() async {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        for round in 0..<500 {
            let inbox = Inbox()
            let reader = Task { try await inbox.next(within: 60, on: loop) }
            let message = { @Sendable in
                // The cancellation asks for the inbox a moment after it has begun: each round tries another moment.
                for _ in 0..<round % 100 { _ = inbox.isEnded }
                inbox.enqueue(.ping(1))
            }
            guard await race(message, { reader.cancel() }) else {
                Issue.record("They wait for each other.")
                return
            }
            _ = await reader.result
        }
    }
}
