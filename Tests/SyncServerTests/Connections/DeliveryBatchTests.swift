import FocusCore
import NIOConcurrencyHelpers
import NIOEmbedded
import Testing

@testable import SyncServer

/// What of a batch reaches which connection, and how often.
@Suite struct DeliveryBatchTests {
    private let loop = EmbeddedEventLoop()
    private let heard = NIOLockedValueBox<[String]>([])

    private func handle(_ id: UInt64) -> SessionHandle {
        SessionHandle(id: id, quota: OutgoingQuota(limit: 1_000), eventLoop: loop) { [heard] deliveries, _ in
            heard.withLockedValue { $0.append("\(id): \(deliveries.count)") }
        }
    }

    private func sent(_ batch: DeliveryBatch) -> [String] {
        batch.send()
        loop.run()
        return heard.withLockedValue { heard in
            defer { heard = [] }
            return heard
        }
    }

    @Test("A connection gets all that a batch has for it at once, whatever others get between")
    func together() {
        let batch = DeliveryBatch()
        let (one, two) = (handle(1), handle(2))
        for handle in [one, two, one, two, one] { batch.add(.confirmed, to: handle) }
        #expect(sent(batch) == ["1: 3", "2: 2"])
        batch.add(.confirmed, to: two)
        #expect(sent(batch) == ["2: 1"] && sent(batch).isEmpty)
    }

    @Test("A3: who is cut off gets none of the batch's news, also where other sessions got some between")
    func cutOff() {
        let batch = DeliveryBatch()
        let (one, two) = (handle(1), handle(2))
        batch.addRows([1], to: one)
        batch.add(.goAway(.shuttingDown), to: one)
        batch.addRows([2], to: two)
        batch.addRows([3], to: one)
        batch.cutOff(one)
        #expect(sent(batch) == ["1: 2", "2: 1"])
    }
}
