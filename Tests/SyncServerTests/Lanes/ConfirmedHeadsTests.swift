import EventStore
import FocusCore
import Support
import Testing

@testable import SyncServer

@Suite("ConfirmedHeads") struct ConfirmedHeadsTests {
    private let one = Partition(1)
    private let two = Partition(2)

    private func head(_ partition: Partition, _ offset: Int64) -> PartitionHead {
        PartitionHead(
            partition: partition, nextOffset: LogOffset(offset), lastEvent: .random(),
            lastRecordedAt: Timestamp(microseconds: 1), generation: 1)
    }

    @Test("P1: only what was known when a commit that waits was sent is covered, in every partition")
    func covers() {
        var confirmed = ConfirmedHeads()
        #expect(confirmed.covers(.zero, of: one, on: 1) && !confirmed.covers(LogOffset(1), of: one, on: 1))
        confirmed.confirm([head(one, 5), head(two, 3)], on: 1)
        for (partition, offset) in [(one, 5), (two, 3)] {
            #expect(confirmed.covers(LogOffset(Int64(offset)), of: partition, on: 1))
            #expect(!confirmed.covers(LogOffset(Int64(offset + 1)), of: partition, on: 1))
        }
        // The answer to an earlier commit must not take the confirmation back.
        confirmed.confirm([head(one, 4)], on: 1)
        #expect(confirmed.covers(LogOffset(5), of: one, on: 1))
    }

    @Test("P1: a server's own append covers its end")
    func append() {
        var confirmed = ConfirmedHeads()
        let event = LoggedEvent(
            partition: one, offset: LogOffset(7), user: .random(), version: Version(1), device: .random(),
            incarnation: Incarnation(1), sequence: DeviceSequence(1), id: .random(), type: "badge.cleared", app: nil,
            occurredAt: Timestamp(microseconds: 1), recordedAt: Timestamp(microseconds: 1), schemaVersion: 1,
            payload: [])
        confirmed.confirm(PartitionAppend(behind: head(one, 7), events: [event]), on: 1)
        #expect(confirmed.covers(LogOffset(8), of: one, on: 1) && !confirmed.covers(LogOffset(9), of: one, on: 1))
        #expect(!confirmed.covers(LogOffset(1), of: two, on: 1))
    }

    @Test("P1: over a new connection, and after another server took over, nothing is covered")
    func forgets() {
        var confirmed = ConfirmedHeads()
        confirmed.confirm([head(one, 5), head(two, 3)], on: 1)
        #expect(!confirmed.covers(LogOffset(1), of: one, on: 2))
        confirmed.confirm([head(one, 4)], on: 2)
        #expect(confirmed.covers(LogOffset(4), of: one, on: 2) && !confirmed.covers(LogOffset(5), of: one, on: 2))
        #expect(!confirmed.covers(LogOffset(1), of: two, on: 2))
        confirmed.forget()
        #expect(!confirmed.covers(LogOffset(1), of: one, on: 2))
    }
}
