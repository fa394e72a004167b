import FocusCore
import NIOConcurrencyHelpers
import NIOEmbedded
import Testing

@testable import SyncServer

@Suite struct DeliveryBatchTests {
    private let loop = EmbeddedEventLoop()
    private let calls = NIOLockedValueBox<[(session: UInt64, deliveries: [SessionDelivery])]>([])

    private func handle(_ id: UInt64) -> SessionHandle {
        SessionHandle(id: id, quota: OutgoingQuota(limit: 1_000), eventLoop: loop) { [calls] deliveries, _ in
            calls.withLockedValue { $0.append((id, deliveries)) }
        }
    }

    private func sent(_ batch: DeliveryBatch) -> [(session: UInt64, deliveries: [SessionDelivery])] {
        batch.send()
        loop.run()
        return calls.withLockedValue { calls in
            defer { calls = [] }
            return calls
        }
    }

    @Test("P6: a connection gets all that a turn made for it at once, in the order in which it was made")
    func once() throws {
        let batch = DeliveryBatch()
        let handles: [SessionHandle] = [handle(1), handle(2)]
        for handle in handles {
            batch.add(.answered(frame: [1], released: InboundCharge(bytes: 0, owner: .connection(1))), to: handle)
        }
        for handle in handles { batch.addRows([2], to: handle) }
        batch.add(.control(frame: [3]), to: handles[0])
        let sent = sent(batch)
        try #require(sent.map(\.session) == [1, 2])
        #expect(sent.map { $0.deliveries.map(\.bytes) } == [[[1], [2], [3]], [[1], [2]]])
        batch.addRows([4], to: handles[1])
        #expect(self.sent(batch).map(\.session) == [2], "nothing is sent twice")
    }

    @Test("A3: who is cut off gets no news of the same turn, and others get theirs")
    func cutOff() throws {
        let batch = DeliveryBatch()
        let (revoked, other) = (handle(1), handle(2))
        batch.addRows([1], to: revoked)
        batch.addRows([2], to: other)
        batch.add(.answered(frame: [3], released: InboundCharge(bytes: 0, owner: .connection(1))), to: revoked)
        batch.cutOff(revoked)
        let sent = sent(batch)
        try #require(sent.map(\.session) == [1, 2])
        #expect(sent[0].deliveries.map(\.bytes) == [[3], nil] && sent[1].deliveries.map(\.bytes) == [[2]])
    }
}

extension SessionDelivery {
    /// The frame of an answer, of rows or of a checkpoint; nil otherwise.
    fileprivate var bytes: [UInt8]? {
        switch self {
        case .answered(let frame, _), .rows(let frame), .control(let frame): frame
        case .opened, .statuses, .fetched, .reach, .confirmed, .failed, .refusedAsRevoked, .goAway, .cutOff: nil
        }
    }
}
