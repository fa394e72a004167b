import FocusCore
import Testing

@testable import EventStore

@Suite("HintListener") struct HintListenerTests {
    @Test("A payload names partitions; anything else means any of them")
    func payloads() {
        #expect(HintListener.partitions(of: []) == .nothing)
        #expect(HintListener.partitions(of: ["3,1", "1"]) == .partitions([Partition(1), Partition(3)]))
        for strange in ["", "3,", "-1", "all", "1;2"] { #expect(HintListener.partitions(of: ["1", strange]) == .any) }
    }
}
