import FocusCore
import Foundation
import Support
import Testing

@testable import EventStore
@testable import SyncServer

/// What the read model lacks, by a clock that the test gives as a number.
@Suite struct ProjectionBacklogTests {
    private let partition = Partition(0)
    private let anna = UserID.random()
    private let ben = UserID.random()

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    private func backlog() -> ProjectionBacklog { ProjectionBacklog([partition, Partition(1)], now: at(0)) }

    private func lacking(_ user: UserID, _ offset: Int64) -> UserInRange {
        UserInRange(user: user, version: Version(1), lastOffset: LogOffset(offset))
    }

    private func write(_ backlog: inout ProjectionBacklog, _ users: [UserID], head: Int64) -> LogOffset {
        backlog.write(users, of: partition, head: LogOffset(head), gatheringUntil: at(1_000)).checkpoint
    }

    @Test("The checkpoint goes to the head when everybody who is behind is written, and stays when one is left out")
    func checkpoint() {
        var backlog = backlog()
        backlog.begin(partition, at: LogOffset(10), lacking: [lacking(anna, 11), lacking(ben, 12)])
        #expect(backlog.checkpoint(of: partition) == LogOffset(10))
        #expect(write(&backlog, [anna], head: 13) == LogOffset(10))
        #expect(write(&backlog, [anna, ben], head: 13) == LogOffset(13))
    }

    @Test("Who is written at their last offset is behind no more; who has an event since is")
    func isWritten() {
        var backlog = backlog()
        backlog.markDirty(anna, at: LogOffset(1), in: partition)
        backlog.markDirty(ben, at: LogOffset(2), in: partition)
        backlog.markDirty(ben, at: LogOffset(3), in: partition)
        backlog.isWritten(anna, through: LogOffset(1), in: partition)
        backlog.isWritten(ben, through: LogOffset(2), in: partition)
        #expect(!backlog.isBehind(anna, in: partition) && backlog.isBehind(ben, in: partition))
        #expect(backlog.users(limit: 10) { _ in true } == [ben] && backlog.users(limit: 0) { _ in true }.isEmpty)
        #expect(backlog.users(of: partition, limit: 10) { $0 == anna }.isEmpty)
    }

    @Test("Rows gather until their time, or until the log has not grown for a while; what is under way is not due")
    func due() {
        var backlog = backlog()
        #expect(backlog.due(now: at(5_000), pauseMilliseconds: 100) == nil)
        backlog.markDirty(anna, at: LogOffset(1), in: partition)
        _ = write(&backlog, [anna], head: 2)
        #expect(backlog.due(now: at(5_000), pauseMilliseconds: 100) == nil)
        #expect(backlog.nextWrite(pauseMilliseconds: 100) == nil)
        backlog.wrote(partition)
        // Rows gather until 1,000. The log grew at 950, so the pause would end later than that.
        backlog.grew(at: at(950))
        #expect(backlog.nextWrite(pauseMilliseconds: 100) == at(1_000))
        #expect(backlog.due(now: at(999), pauseMilliseconds: 100) == nil)
        #expect(backlog.due(now: at(1_000), pauseMilliseconds: 100) == partition)
        backlog.grew(at: at(200))
        #expect(backlog.nextWrite(pauseMilliseconds: 100) == at(300))
        backlog.retry(partition, at: at(2_000))
        #expect(backlog.nextWrite(pauseMilliseconds: 100) == at(2_000))
        backlog.retry(partition, at: at(0))
        backlog.postpone(partition, until: at(3_000))
        #expect(backlog.nextWrite(pauseMilliseconds: 100) == at(3_000))
    }

    @Test("The partition that has gathered longest is due first")
    func order() {
        var backlog = backlog()
        for number in [Int32(0), 1] { backlog.markDirty(anna, at: LogOffset(1), in: Partition(number)) }
        #expect(backlog.due(now: at(2_000), pauseMilliseconds: 100) == Partition(0))
        _ = write(&backlog, [anna], head: 2)
        backlog.wrote(partition)
        #expect(backlog.due(now: at(2_000), pauseMilliseconds: 100) == Partition(1))
    }

    @Test("A checkpoint that fell back takes its users in again; one that is told late does not take it back")
    func fallsBack() {
        var backlog = backlog()
        backlog.begin(partition, at: LogOffset(10), lacking: [])
        backlog.advance(partition, to: LogOffset(9))
        #expect(backlog.checkpoint(of: partition) == LogOffset(10))
        backlog.advance(partition, to: LogOffset(12))
        backlog.regress(partition, to: LogOffset(5), lacking: [lacking(anna, 7)])
        #expect(backlog.checkpoint(of: partition) == LogOffset(5) && backlog.isBehind(anna, in: partition))
    }

    @Test("A new epoch waits for no batch of the one before")
    func epochs() {
        var backlog = backlog()
        backlog.markDirty(anna, at: LogOffset(1), in: partition)
        _ = write(&backlog, [anna], head: 2)
        let epoch = backlog.epoch
        backlog.beginEpoch()
        #expect(backlog.epoch != epoch && backlog.due(now: at(2_000), pauseMilliseconds: 100) == partition)
    }
}
