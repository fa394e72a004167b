import EventStore
import FocusCore
import Foundation
import Testing

@testable import SyncServer

@Suite("DueLook: a page at a time", .fewAtATime) struct DueLookTests {
    private func due(_ partition: Int32, at second: Int64) -> DueUser {
        DueUser(
            partition: Partition(partition), user: .random(), dueAt: Timestamp(microseconds: second * 1_000_000))
    }

    @Test(
        "T1, T3: goes on behind full pages with the moment at which it began; ends when none is full, then begins anew")
    func pages() {
        var look = DueLook()
        let partitions = [Partition(0), Partition(1)]
        let (first, second) = (Timestamp(microseconds: 1), Timestamp(microseconds: 2))
        #expect(!look.isUnderWay)
        look.begin(partitions, at: first)
        #expect(look.places == [Partition(0): .start, Partition(1): .start])
        let page = [due(0, at: 1), due(1, at: 5), due(0, at: 2)]
        look.advance(past: page, limit: 2)
        #expect(look.isUnderWay && look.places == [Partition(0): DuePlace(page[2])])
        look.begin(partitions, at: second)
        #expect(look.until == first && look.places == [Partition(0): DuePlace(page[2])])
        look.advance(past: [due(0, at: 3)], limit: 2)
        #expect(!look.isUnderWay)
        look.begin(partitions, at: second)
        #expect(look.until == second && look.places.count == 2)
        look.advance(past: [], limit: 2)
        #expect(!look.isUnderWay)
    }
}
