import Support
import Testing

@testable import FocusSyncClient

@Suite("CoalescingQueue") struct CoalescingQueueTests {
    private struct Numbers: Backlog {
        var waiting: [Int] = []

        mutating func dequeue() -> [Int]? {
            defer { waiting = [] }
            return waiting.isEmpty ? nil : waiting
        }
    }

    @Test("A reader whose task is cancelled while something changes keeps nobody waiting")
    func cancelled() async {
        for _ in 0..<500 {
            let queue = CoalescingQueue(Numbers())
            let reader = Task { await queue.next() }
            guard await race({ queue.change { $0.waiting.append(1) } }, { reader.cancel() }) else {
                Issue.record("They wait for each other.")
                return
            }
            _ = await reader.value
        }
    }
}
