import FocusCore
import Testing

@testable import SyncServer

@Suite struct PartitionContentionTests {
    private let start = MonotonicTime(milliseconds: 1_000)
    private let a = Partition(0)
    private let b = Partition(1)

    @Test("A partition is contended for its time after an append came too late, and no longer")
    func ends() {
        var contention = PartitionContention(milliseconds: 5_000)
        #expect(contention.partitions(at: start).isEmpty)
        contention.cameTooLate(a, at: start)
        #expect(contention.partitions(at: start) == [a])
        #expect(contention.partitions(at: start.adding(milliseconds: 4_999)) == [a])
        #expect(contention.partitions(at: start.adding(milliseconds: 5_000)).isEmpty)
    }

    @Test("Each partition has a time of its own, which begins anew when an append comes too late again")
    func eachAlone() {
        var contention = PartitionContention(milliseconds: 5_000)
        contention.cameTooLate(a, at: start)
        contention.cameTooLate(b, at: start.adding(milliseconds: 1_000))
        contention.cameTooLate(a, at: start.adding(milliseconds: 4_000))
        #expect(contention.partitions(at: start.adding(milliseconds: 5_999)) == [a, b])
        #expect(contention.partitions(at: start.adding(milliseconds: 6_000)) == [a])
        #expect(contention.partitions(at: start.adding(milliseconds: 9_000)).isEmpty)
    }

    @Test("Without a time no partition is contended")
    func off() {
        var contention = PartitionContention(milliseconds: 0)
        contention.cameTooLate(a, at: start)
        #expect(contention.partitions(at: start).isEmpty)
    }
}
