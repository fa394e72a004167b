import EventStore
import FocusCore
import Foundation
import Support
import Testing

@testable import SyncServer

@Suite("DueScan: a page at a time") struct DueScanTests {
    private func due(_ partition: Int32, at second: Int64) -> DueUser {
        DueUser(
            partition: Partition(partition), user: .random(), dueAt: Timestamp(microseconds: second * 1_000_000))
    }

    @Test(
        "T1, T3: goes on behind full pages with the moment at which it began; ends when none is full, then begins anew")
    func pages() {
        var scan = DueScan()
        let partitions = [Partition(0), Partition(1)]
        let (first, second) = (Timestamp(microseconds: 1), Timestamp(microseconds: 2))
        #expect(!scan.isUnderWay)
        scan.begin(partitions, at: first)
        #expect(scan.places == [Partition(0): .start, Partition(1): .start])
        let page = [due(0, at: 1), due(1, at: 5), due(0, at: 2)]
        scan.advance(past: page, limit: 2)
        #expect(scan.isUnderWay && scan.places == [Partition(0): DuePlace(page[2])])
        scan.begin(partitions, at: second)
        #expect(scan.until == first && scan.places == [Partition(0): DuePlace(page[2])])
        scan.advance(past: [due(0, at: 3)], limit: 2)
        #expect(!scan.isUnderWay)
        scan.begin(partitions, at: second)
        #expect(scan.until == second && scan.places.count == 2)
        scan.advance(past: [], limit: 2)
        #expect(!scan.isUnderWay)
    }
}
