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
        UserInRange(
            user: user, version: Version(1), firstOffset: LogOffset(offset), lastOffset: LogOffset(offset))
    }

    private func cover(
        _ backlog: inout ProjectionBacklog, _ users: [UserID], head: Int64, quarantined: Set<UserID> = []
    ) -> ProjectionBacklog.Cover {
        backlog.write(users, of: partition, head: LogOffset(head), gatheringUntil: at(1_000)) {
            quarantined.contains($0)
        }
    }

    private func write(_ backlog: inout ProjectionBacklog, _ users: [UserID], head: Int64) -> LogOffset {
        cover(&backlog, users, head: head).checkpoint
    }

    @Test(
        "The checkpoint goes to the first event of whom a batch leaves out, and to the head when it leaves out nobody")
    func checkpoint() {
        var backlog = backlog()
        backlog.begin(partition, at: LogOffset(10), lacking: [lacking(anna, 11), lacking(ben, 12)])
        #expect(backlog.checkpoint(of: partition) == LogOffset(10))
        backlog.markDirty(ben, at: LogOffset(14), in: partition)
        #expect(cover(&backlog, [anna], head: 15).checkpoint == LogOffset(12))
        #expect(cover(&backlog, [ben], head: 15).checkpoint == LogOffset(11))
        let whole = cover(&backlog, [anna, ben], head: 15)
        #expect(whole.checkpoint == LogOffset(15) && whole.end == LogOffset(15) && whole.base == LogOffset(10))
    }

    @Test(
        "Whom the read model has lacked events of for longest comes first; what came during a batch counts from then on"
    )
    func oldestFirst() {
        var backlog = backlog()
        backlog.begin(partition, at: LogOffset(10), lacking: [lacking(anna, 11), lacking(ben, 12)])
        #expect(backlog.users(of: partition, limit: 1) { _ in true } == [anna])
        _ = cover(&backlog, [anna], head: 13)
        backlog.markDirty(anna, at: LogOffset(13), in: partition)
        backlog.markDirty(anna, at: LogOffset(14), in: partition)
        backlog.isWritten(anna, through: LogOffset(11), in: partition)
        #expect(backlog.users(of: partition, limit: 9) { _ in true } == [ben, anna])
        #expect(write(&backlog, [ben], head: 15) == LogOffset(13))
        // A batch that failed has written nothing: what came before it counts.
        _ = cover(&backlog, [anna], head: 15)
        backlog.markDirty(anna, at: LogOffset(15), in: partition)
        backlog.wrote(partition)
        #expect(write(&backlog, [ben], head: 16) == LogOffset(13))
    }

    @Test("Who is quarantined is passed, and recorded where the batch passes an event of theirs")
    func laggards() {
        var backlog = backlog()
        // Anna is a laggard since before, Ben has events past the checkpoint.
        let (first, last) = (LogOffset(3), LogOffset(9))
        let laggard = UserInRange(user: anna, version: .zero, firstOffset: first, lastOffset: last)
        backlog.begin(partition, at: LogOffset(10), lacking: [laggard, lacking(ben, 12)])
        var passed = cover(&backlog, [], head: 20, quarantined: [anna, ben])
        #expect(passed.checkpoint == LogOffset(20) && passed.passed == .named([ben]))
        // Another event of Anna's: another server may have settled her meanwhile, so she is recorded again.
        backlog.advance(partition, to: LogOffset(20))
        backlog.markDirty(anna, at: LogOffset(20), in: partition)
        passed = cover(&backlog, [], head: 21, quarantined: [anna, ben])
        #expect(passed.checkpoint == LogOffset(21) && passed.passed == .named([anna]))
        // Out of quarantine and not in the batch, a laggard lets the checkpoint stay, and does not take it back.
        #expect(write(&backlog, [ben], head: 21) == LogOffset(20))
    }

    @Test("However many are quarantined, with events on both sides of the checkpoint, each batch moves it")
    func manyLaggards() {
        var backlog = backlog()
        let many = (0..<600).map { lacking(.random(), $0) }
        backlog.begin(partition, at: .zero, lacking: many)
        let all = Set(many.map(\.user))
        for (index, user) in many.map(\.user).enumerated() {
            backlog.markDirty(user, at: LogOffset(Int64(10_000 + index)), in: partition)
        }
        var checkpoint = LogOffset.zero
        for _ in 0..<3 {
            let passed = cover(&backlog, [], head: 10_600, quarantined: all)
            #expect(passed.checkpoint > checkpoint)
            checkpoint = passed.checkpoint
            backlog.advance(partition, to: checkpoint)
        }
        #expect(checkpoint == LogOffset(10_600))
    }

    @Test("A laggard whom the backlog does not have is added; one whom it has stays as they are")
    func addsLaggards() {
        var backlog = backlog()
        backlog.begin(partition, at: LogOffset(10), lacking: [lacking(ben, 12)])
        backlog.add([anna: LogOffset(4), ben: LogOffset(3)], of: partition)
        #expect(backlog.users(of: partition, limit: 9) { _ in true } == [anna, ben])
        #expect(write(&backlog, [anna], head: 13) == LogOffset(12))
    }

    @Test("A user whom the database refuses is set aside: the batches halve, pass them, and grow again")
    func refusals() {
        var backlog = backlog()
        backlog.begin(partition, at: LogOffset(10), lacking: [lacking(anna, 11), lacking(ben, 12)])
        backlog.wasTaken(false, count: 2, of: partition, usual: 4)
        #expect(backlog.limit(of: partition, usual: 4) == 1)
        backlog.setAside(anna, of: partition, until: at(500))
        #expect(backlog.users(of: partition, limit: 9) { _ in true } == [ben])
        let passed = cover(&backlog, [ben], head: 13)
        #expect(passed.checkpoint == LogOffset(13) && passed.passed == .named([anna]))
        backlog.wasTaken(true, count: 1, of: partition, usual: 4)
        #expect(backlog.limit(of: partition, usual: 4) == 2)
        backlog.wasTaken(true, count: 1, of: partition, usual: 4)
        #expect(backlog.limit(of: partition, usual: 4) == 4)
        backlog.endSetAside(partition, now: at(499))
        #expect(backlog.users(of: partition, limit: 9) { _ in true } == [ben])
        backlog.endSetAside(partition, now: at(500))
        #expect(backlog.users(of: partition, limit: 9) { _ in true } == [anna, ben])
    }

    @Test("Of whom the read model has less than was believed, it may lack everything past the checkpoint")
    func missing() {
        var backlog = backlog()
        backlog.begin(partition, at: LogOffset(10), lacking: [lacking(anna, 14), lacking(ben, 12)])
        backlog.isMissing(anna, in: partition)
        #expect(write(&backlog, [ben], head: 15) == LogOffset(10))
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

    @Test("A batch waits for the users who are loaded for it, and they are kept for it; past its bytes for nobody else")
    func waits() {
        for extra in [0, 1] {
            var backlog = backlog()
            let carol = UserID.random()
            for user in [anna, ben, carol] { backlog.markDirty(user, at: LogOffset(1), in: partition) }
            backlog.wait(for: [anna, ben, carol], in: partition)
            #expect(backlog.nextWrite(pauseMilliseconds: 100) == nil && backlog.ready.isEmpty)
            backlog.arrived(anna, in: partition, bytes: 10 + extra, limit: 10)
            #expect(backlog.keeps(anna, of: partition) && !backlog.keeps(ben, of: partition))
            #expect(backlog.ready == (extra == 0 ? [] : [partition]))
            for user in [ben, carol] { backlog.arrived(user, in: partition, bytes: 0, limit: 10) }
            #expect(backlog.ready == [partition] && backlog.due(now: at(0), pauseMilliseconds: 100) == partition)
            _ = write(&backlog, [anna, ben, carol], head: 2)
            #expect(backlog.ready.isEmpty && !backlog.keeps(anna, of: partition))
        }
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
