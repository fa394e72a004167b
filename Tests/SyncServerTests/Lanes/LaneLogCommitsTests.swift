import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// What a lane learns from its statements that lock and append.
@Suite final class LaneLogCommitsTests: LaneLogStage {
    private func staging(_ log: LaneLog, events: Int) throws -> AppendStaging {
        var staging = AppendStaging(time.clock, behind: log.tails.heads)
        let user = CachedUser(
            id: anna, partition: PartLog.partition, generation: 1, state: UserState(user: anna), dirty: [],
            projectedVersion: .zero, lastUsed: 0)
        for index in 0..<events {
            let body = EventBody.focusChanged(FocusChanged(focusID: "f\(index)", isActive: true))
            let event = Event(
                version: user.state.version.next, device: .server, incarnation: Incarnation(0),
                sequence: DeviceSequence(Int64(index + 1)), id: .random(), app: nil, occurredAt: staging.now,
                recordedAt: staging.recordingTime(of: PartLog.partition), body: body)
            try staging.record(event, LoggedPayload(body), user)
        }
        let request = IncomingAppend(
            firstSequence: DeviceSequence(1), events: [], charge: InboundCharge(bytes: 10, owner: .connection(1)))
        var answer = AppendStaging.Answer(
            append: PendingAppend(session: 1, request: request), partition: PartLog.partition)
        answer.appended = Appended(throughSequence: DeviceSequence(1), version: Version(1), refused: [])
        staging.answers = [answer]
        return staging
    }

    @Test("What was committed moves the head, and its own commit confirms it")
    func commits() throws {
        let log = try begun()
        var staging = try staging(log, events: 2)
        let report = try log.commit(&staging)
        #expect(heard.all() == ["committed 2"] && store.called() == ["append"])
        #expect(report.isValid(PartLog.partition) && report.outdated.isEmpty)
        #expect(log.tails[PartLog.partition] == store.head && staging.answers[0].appended != nil)
    }

    @Test("P1: an answer about what was there before waits for a commit; one that cannot be had withdraws it")
    func confirms() throws {
        store.appendFocus("a", of: anna)
        let log = try begun()
        var staging = try staging(log, events: 0)
        store.failure = PostgresError(kind: .insufficientResources, message: "full")
        _ = try log.commit(&staging)
        #expect(staging.answers[0].appended == nil && staging.answers[0].error?.code == .unavailable)
        staging = try self.staging(log, events: 0)
        _ = try log.commit(&staging)
        #expect(staging.answers[0].appended != nil && store.called() == ["confirm", "confirm"])
        // The confirmation covers everything that was known, so no further one is needed.
        _ = try log.commit(&staging)
        #expect(store.called().isEmpty)
    }

    @Test("Another server was first: nothing is settled, and the partition is to be caught up with")
    func behind() throws {
        let log = try begun()
        var staging = try staging(log, events: 1)
        store.appendFocus("b", of: ben)
        let report = try log.commit(&staging)
        #expect(!report.isSettled(PartLog.partition) && report.outdated == [PartLog.partition])
        #expect(heard.all().isEmpty)
    }

    @Test("Partitions are locked at the heads that are known, and what others appended is told before the statement")
    func locks() throws {
        let log = try begun()
        store.appendFocus("b", of: ben)
        try log.lock([PartLog.partition])
        #expect(heard.all() == ["followed 0", "caught up 1"] && log.tails[PartLog.partition] == store.head)
        var staging = try staging(log, events: 2)
        let report = try log.commit(&staging)
        #expect(report.isValid(PartLog.partition) && heard.all() == ["committed 2"])
        #expect(store.called() == ["lock", "append"] && !store.isLocked)
    }

    @Test("S8: a lock that finds another generation is given up, and the lane changes before it follows the log")
    func lockFindsGeneration() throws {
        store.appendFocus("a", of: anna)
        let log = try begun()
        _ = (heard.all(), store.called())
        store.appendFocus("b", of: anna)
        (store.generation, store.changed, store.checkpoint.offset) = (2, [anna], LogOffset(2))
        try log.lock([PartLog.partition])
        #expect(
            heard.all() == [
                "generation changes", "followed 1", "caught up 1", "read model at 2 lacks 0", "generation 2",
            ])
        #expect(!store.isLocked && log.tails[PartLog.partition].generation == 2)
    }

    @Test("Who came too late, or finds at the lock that they would have, locks for five seconds from then on")
    func contends() throws {
        let log = try begun()
        var staging = try staging(log, events: 1)
        #expect(log.contendedPartitions().isEmpty)
        store.appendFocus("b", of: ben)
        _ = try log.commit(&staging)
        #expect(log.contendedPartitions() == [PartLog.partition])
        time.advance(4_999)
        try log.lock([PartLog.partition])
        log.unlock()
        time.advance(4_999)
        #expect(log.contendedPartitions() == [PartLog.partition])
        // Nobody has appended by now.
        try log.lock([PartLog.partition])
        log.unlock()
        time.advance(1)
        #expect(log.contendedPartitions().isEmpty && log.context.contention.counts.late == 1)
    }

    @Test("S6: a lock that finds a log that fell back holds nothing, and nothing of it is told")
    func lockFindsFallen() throws {
        for _ in 0..<3 { store.appendFocus("a", of: anna) }
        let log = try begun()
        store.events.removeLast()
        for _ in 0..<3 {
            #expect(throws: LogTruncated(PartLog.partition)) { try log.lock([PartLog.partition]) }
            #expect(!store.isLocked && heard.all().isEmpty)
            store.appendFocus("b", of: anna)
        }
    }

    @Test("P1: an answer that needs a commit of its own waits for it without a lock")
    func confirmsUnlocked() throws {
        store.appendFocus("a", of: anna)
        let log = try begun()
        try log.lock([PartLog.partition])
        var staging = try staging(log, events: 0)
        _ = try log.commit(&staging)
        #expect(store.called() == ["lock", "confirm"] && !store.isLocked && staging.answers[0].appended != nil)
    }

    @Test("Another generation is shown: the events are settled, and the states that they were folded on are not valid")
    func cutOver() throws {
        let log = try begun()
        var staging = try staging(log, events: 1)
        store.generation = 2
        let report = try log.commit(&staging)
        #expect(report.isSettled(PartLog.partition) && !report.isValid(PartLog.partition))
        #expect(report.outdated == [PartLog.partition])
    }

    @Test("A log that refuses withdraws the answers; one that fell back, or is gone, ends the turn")
    func refused() throws {
        let log = try begun()
        var staging = try staging(log, events: 1)
        store.failure = PostgresError(kind: .insufficientResources, message: "full")
        let report = try log.commit(&staging)
        #expect(report.isFailed && !report.isValid(PartLog.partition) && report.isSettled(PartLog.partition))
        #expect(staging.answers[0].error?.code == .unavailable)
        store.failure = LogTruncated(PartLog.partition)
        #expect(throws: LogTruncated(PartLog.partition)) { _ = try log.commit(&staging) }
        store.failure = StoreStopped()
        #expect(throws: StoreStopped.self) { _ = try log.commit(&staging) }
    }
}
