import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// What a lane learns from its log; the test decides what the log holds.
@Suite struct LaneLogTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())
    private let store = PartLog()
    private let time = PartTime()
    private let heard = Heard()

    /// Collects the news in words.
    private final class Heard {
        var news: [String] = []
        var asked = 0

        func all() -> [String] {
            defer { news = [] }
            return news
        }

        func hear(_ item: LogNews) {
            switch item {
            case .followed(let event): news.append("followed \(event.offset)")
            case .caughtUp(let users): news.append("caught up \(users.count)")
            case .skipped(let user, _): news.append("skipped to \(user.lastOffset)")
            case .committed(let batch): news.append("committed \(batch.events.count)")
            case .loaded(let user, _, _): news.append("loaded \(user.state.version)")
            case .outlined(let outline, _, _): news.append("outlined \(outline.state.version)")
            case .outdated(_, let elsewhere): news.append(elsewhere ? "of another log" : "outdated")
            case .unloadable: news.append("unloadable")
            case .readModelStands(_, let checkpoint, let lacking):
                news.append("read model at \(checkpoint) lacks \(lacking.count)")
            case .checkpointRegressed(_, let checkpoint, let lacking):
                news.append("fell back to \(checkpoint), lacks \(lacking.count)")
            case .laggards(let users, _): news.append("\(users.count) laggards")
            case .readModelIsAnother: news.append("another read model")
            case .connectionIsAnother: news.append("another connection")
            case .serverIsAnother: news.append("another server")
            case .generationChanges: news.append("generation changes")
            case .generationChanged(let head, _, _): news.append("generation \(head.generation)")
            }
        }
    }

    private func log(_ change: (inout LaneConfiguration) -> Void = { _ in }) -> LaneLog {
        var configuration = LaneConfiguration()
        change(&configuration)
        return LaneLog(
            LaneSamples.context(time, configuration), PartitionTails([PartLog.partition]) { _ in }, store,
            willAsk: { [heard] in heard.asked += 1 }, tell: { [heard] in heard.hear($0) })
    }

    private func begun(_ change: (inout LaneConfiguration) -> Void = { _ in }) throws -> LaneLog {
        let log = log(change)
        try log.begin()
        _ = (heard.all(), store.called())
        return log
    }

    @Test("It begins at the heads, with those whose events are past the checkpoint, and asks for the timeline first")
    func begins() throws {
        for user in [anna, ben, anna] { store.appendFocus("a", of: user) }
        store.checkpoint.offset = LogOffset(1)
        let log = log()
        try log.begin()
        #expect(heard.all() == ["read model at 1 lacks 2", "another read model"])
        #expect(store.called() == ["timeline", "timedHeads", "checkpoints", "users"])
        #expect(log.tails[PartLog.partition] == store.head && log.tails.timeline == store.line)
        // Answers that are ready leave before each query.
        #expect(heard.asked == 4)
    }

    @Test("A read model that is further than the heads that were seen lacks nothing")
    func readModelAhead() throws {
        store.appendFocus("a", of: anna)
        store.checkpoint.offset = LogOffset(5)
        try log().begin()
        #expect(heard.all() == ["read model at 1 lacks 0", "another read model"])
    }

    @Test("The heads are looked at when they may have moved, and after the time that they are good for; not before")
    func looks() throws {
        let log = try begun { $0.pollMilliseconds = 250 }
        try log.confirmHeads()
        #expect(store.called().isEmpty)
        time.advance(249)
        try log.confirmHeads()
        #expect(store.called().isEmpty)
        time.advance(1)
        try log.confirmHeads()
        #expect(store.called() == ["timedHeads"] && log.tails.confirmedAt == time.now)
        log.tails.mayHaveMoved = true
        try log.confirmHeads()
        #expect(store.called() == ["timedHeads"] && !log.tails.mayHaveMoved)
    }

    @Test("What others appended is told event by event, in the log's order, then who has all of it")
    func follows() throws {
        let log = try begun()
        for user in [anna, ben, anna] { store.appendFocus("a", of: user) }
        try log.catchUp(PartLog.partition)
        #expect(heard.all() == ["followed 0", "followed 1", "followed 2", "caught up 2"])
        #expect(log.tails[PartLog.partition] == store.head)
        try log.catchUp(PartLog.partition)
        #expect(heard.all().isEmpty)
    }

    @Test("More events than the limit are not read: their users are told, with the last offset of each")
    func skips() throws {
        let log = try begun { $0.refoldLimit = 2 }
        for user in [anna, ben, anna] { store.appendFocus("a", of: user) }
        try log.catchUp(PartLog.partition)
        #expect(Set(heard.all()) == ["skipped to 2", "skipped to 1"])
        #expect(log.tails[PartLog.partition] == store.head)
    }

    @Test("S6: a log that is shorter, or has another event at its end or on the way, fell back; nothing of it is told")
    func fallsBack() throws {
        for _ in 0..<3 { store.appendFocus("a", of: anna) }
        let log = try begun()
        let known = store.events
        store.events.removeLast()
        #expect(throws: LogTruncated(PartLog.partition)) { try log.catchUp(PartLog.partition) }
        // A log of the same length with another end, and a longer one.
        for _ in 0..<2 {
            store.appendFocus("b", of: anna)
            #expect(throws: LogTruncated(PartLog.partition)) { try log.catchUp(PartLog.partition) }
        }
        #expect(heard.all().isEmpty && log.tails[PartLog.partition].anchor == known.last?.anchor)
        store.events = known
        try log.catchUp(PartLog.partition)
    }

    @Test("A laggard is lacking from their first event on, whether they have events past the checkpoint or not")
    func laggards() throws {
        for user in [anna, ben, ben] { store.appendFocus("a", of: user) }
        store.checkpoint = Checkpoint(offset: LogOffset(2), laggards: [anna: .zero, ben: LogOffset(1)])
        let (checkpoint, lacking) = try begun().lacking(store.checkpoint, store.head)
        #expect(checkpoint == LogOffset(2))
        let places = Dictionary(uniqueKeysWithValues: lacking.map { ($0.user, [$0.firstOffset, $0.lastOffset]) })
        #expect(places == [anna: [.zero, LogOffset(1)], ben: [LogOffset(1), LogOffset(2)]])
    }

    @Test("Each look for losses tells of the laggards; a checkpoint that fell back takes them with it")
    func looksForLaggards() throws {
        for user in [anna, ben] { store.appendFocus("a", of: user) }
        store.checkpoint = Checkpoint(offset: LogOffset(2), laggards: [anna: .zero])
        let log = try begun()
        try log.checkForLoss { _ in LogOffset(2) }
        #expect(heard.all() == ["1 laggards"])
        store.checkpoint.offset = LogOffset(1)
        try log.checkForLoss { _ in LogOffset(2) }
        #expect(heard.all() == ["fell back to 1, lacks 2"])
        try log.checkpointRegressed(PartLog.partition)
        #expect(heard.all() == ["fell back to 1, lacks 2"])
        // The generation was dropped: another one is shown, which the heads tell.
        store.failure = EventStoreError.noGeneration(1)
        try log.checkpointRegressed(PartLog.partition)
        #expect(log.tails.mayHaveMoved && heard.all().isEmpty)
    }

    @Test("Another generation is told before what it lacks, and what the log got meanwhile in between")
    func generations() throws {
        store.appendFocus("a", of: anna)
        let log = try begun()
        store.appendFocus("b", of: ben)
        store.generation = 2
        store.changed = [anna]
        store.checkpoint.offset = LogOffset(1)
        try log.catchUp(PartLog.partition)
        #expect(
            heard.all() == [
                "generation changes", "followed 1", "caught up 1", "read model at 1 lacks 1", "generation 2",
            ])
        #expect(log.tails[PartLog.partition].generation == 2)
    }

    @Test("A change of generation that fails on the way is begun again: the one before is known until then")
    func generationFails() throws {
        let log = try begun()
        store.generation = 2
        store.failure = nil
        let broken = PostgresError(kind: .insufficientResources, message: "full")
        // The first call asks for the heads, the second for the changed users; the second one fails.
        _ = try store.heads(of: [])
        store.failure = broken
        #expect(throws: broken) { try log.catchUp(PartLog.partition) }
        #expect(log.tails[PartLog.partition].generation == 1)
        try log.catchUp(PartLog.partition)
        #expect(heard.all().last == "generation 2")
    }

    /// Takes up what a load of the users sees now, or what one saw.
    private func takeUp(_ users: LoadedUser..., in log: LaneLog, use: LoadUse = .usable) throws {
        let found = users.map { ($0.state.user, Result<_, any Error>.success($0)) }
        try log.takeUp(FoundUsers(loaded: Dictionary(uniqueKeysWithValues: found))) { _, _, _ in use }
    }

    @Test("A load that saw just what the lane knows needs no question")
    func loaded() throws {
        store.appendFocus("a", of: anna)
        let log = try begun()
        try takeUp(store.loaded(anna), in: log)
        #expect(heard.all() == ["loaded 1"] && store.called().isEmpty)
    }

    @Test("The lane follows to the head that a load saw; what it has gone past since is below it")
    func loadedElsewhen() throws {
        let log = try begun()
        store.appendFocus("a", of: anna)
        let before = try store.loaded(anna)
        store.appendFocus("a", of: ben)
        try takeUp(store.loaded(ben), in: log)
        #expect(heard.all() == ["loaded 1", "followed 0", "followed 1", "caught up 2"])
        #expect(log.tails[PartLog.partition] == store.head && store.called().first == "held")
        try takeUp(before, in: log)
        #expect(heard.all() == ["loaded 1"] && store.called() == ["held"])
    }

    @Test("S6: a load from a server with another log is not used, and the lane does not follow it")
    func loadedOfAnotherLog() throws {
        store.appendFocus("a", of: anna)
        let log = try begun()
        let known = store.events
        store.appendFocus("b", of: anna)
        let other = try store.loaded(anna)
        store.events = known
        store.appendFocus("c", of: ben)
        try takeUp(other, in: log)
        #expect(heard.all() == ["of another log"] && log.tails[PartLog.partition].nextOffset == LogOffset(1))
    }

    @Test("A load from another generation is made again once the lane has looked at the heads")
    func loadedOfAnotherGeneration() throws {
        store.appendFocus("a", of: anna)
        let log = try begun()
        store.generation = 2
        try takeUp(store.loaded(anna), in: log)
        #expect(heard.all() == ["outdated"] && log.tails.mayHaveMoved)
        try log.confirmHeads()
        try takeUp(store.loaded(anna), in: log)
        #expect(heard.all().last == "loaded 1")
    }

    @Test("A load from the generation before that one is made again elsewhere if the lane knew better when it asked")
    func loadedOfOlderGeneration() throws {
        store.appendFocus("a", of: anna)
        let before = try store.loaded(anna)
        store.generation = 2
        let log = try begun()
        try takeUp(before, in: log)
        #expect(heard.all() == ["outdated"])
        try takeUp(before, in: log, use: .stale)
        #expect(heard.all() == ["of another log"])
    }

    @Test("A user who cannot be loaded is told alone; one of whom too much has changed meanwhile is outdated")
    func notLoaded() throws {
        let log = try begun()
        struct Broken: Error {}
        let found = [anna: .success(try store.loaded(anna)), ben: .failure(Broken())] as [UserID: Result<_, any Error>]
        try log.takeUp(FoundUsers(loaded: found)) { _, _, _ in .usable }
        #expect(heard.all() == ["unloadable", "loaded 0"])
        try takeUp(store.loaded(anna), in: log, use: .outdated)
        #expect(heard.all() == ["outdated"])
        // Who was left behind is left: the next load goes over another connection.
        try takeUp(store.loaded(anna), in: log, use: .stale)
        #expect(heard.all() == ["of another log"])
    }

    @Test("What a load lacks is read by user, for as many events as fit a statement; past that it is outdated")
    func lacking() throws {
        let log = try begun { $0.eventsPerStatement = 3 }
        let before = [try store.loaded(anna), try store.loaded(ben)]
        for _ in 0..<2 { for user in [anna, ben] { store.appendFocus("a", of: user) } }
        try log.catchUp(PartLog.partition)
        _ = heard.all()
        let found = before.map { ($0.state.user, Result<_, any Error>.success($0)) }
        try log.takeUp(FoundUsers(loaded: Dictionary(uniqueKeysWithValues: found))) { _, _, _ in
            .lacks(through: Version(2))
        }
        #expect(heard.all() == ["loaded 2", "outdated"])
    }

    @Test("A checkpoint that stands further back than it was known is told, with those who are past it")
    func loss() throws {
        for user in [anna, ben] { store.appendFocus("a", of: user) }
        store.checkpoint.offset = LogOffset(2)
        let log = try begun()
        try log.checkForLoss { _ in LogOffset(2) }
        #expect(heard.all().isEmpty)
        store.checkpoint.offset = LogOffset(1)
        try log.checkForLoss { _ in LogOffset(2) }
        #expect(heard.all() == ["fell back to 1, lacks 1"])
    }

    @Test("Another timeline: what is past the checkpoint is to be projected again, and batches under way mean nothing")
    func timeline() throws {
        for user in [anna, ben] { store.appendFocus("a", of: user) }
        store.checkpoint.offset = LogOffset(1)
        let log = try begun()
        store.line = Timeline(name: "2")
        try log.checkForLoss { _ in LogOffset(1) }
        #expect(heard.all() == ["another server", "another read model", "fell back to 1, lacks 1"])
        #expect(log.tails.timeline == store.line)
        try log.checkForLoss { _ in LogOffset(1) }
        #expect(heard.all().isEmpty)
    }

    // MARK: Commits

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
        let request = IncomingAppend(firstSequence: DeviceSequence(1), events: [], charge: InboundCharge(bytes: 10))
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
