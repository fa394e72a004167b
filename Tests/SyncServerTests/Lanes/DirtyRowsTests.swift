import FocusCore
import Testing

@testable import SyncServer

@Suite("DirtyRows") struct DirtyRowsTests {
    private func key(_ number: Int) -> RowKey { RowKey(.notifications, key: "n\(number)") }

    @Test("Keys that come again are dropped once there are more than the bound, and none is lost")
    func repeated() {
        var dirty = DirtyRows()
        for _ in 0..<DirtyRows.leastLimit { dirty.add([key(0)]) }
        #expect(dirty.count == DirtyRows.leastLimit)
        dirty.add([key(1)])
        #expect(Set(dirty.keys) == [key(0), key(1)] && dirty.count == 2)
    }

    @Test("Twice as many keys as there are rows are kept at most")
    func bound() {
        let rows = (0..<3 * DirtyRows.leastLimit).map(key)
        var dirty = DirtyRows(rows)
        for _ in 0..<20 {
            dirty.add(rows)
            #expect(dirty.count <= 2 * rows.count && Set(dirty.keys).count == rows.count)
        }
    }
}
