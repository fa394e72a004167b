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
        for _ in 0..<10_000 {
            let inbox = Inbox()
            let reader = Task { try await inbox.next(within: 60, on: loop) }
            guard await race({ inbox.enqueue(.ping(1)) }, { reader.cancel() }) else {
                Issue.record("They wait for each other.")
                return
            }
            _ = await reader.result
        }
    }
}
