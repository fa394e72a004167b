import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// What a lane learns from its log; the test decides what the log holds.
@Suite final class LaneLogTests: LaneLogStage {
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

    @Test("An event whose id is the nil UUID is an event like others, and the log leads from it to the next one")
    func nilID() throws {
        let log = try begun()
        for id in [PartitionHead.noEvent, PartitionHead.noEvent, .random()] {
            let body = EventBody.focusConfigured(FocusConfigured(focusID: "a", name: "a"))
            let event = store.append(body, of: anna, id: id)
            try log.catchUp(PartLog.partition)
            #expect(heard.all() == ["followed \(event.offset)", "caught up 1"])
            #expect(log.tails[PartLog.partition].anchor == event.anchor)
        }
        // A log that lost it, and has another one in its place.
        let known = store.append(
            .focusConfigured(FocusConfigured(focusID: "b", name: "b")), of: anna, id: PartitionHead.noEvent)
        try log.catchUp(PartLog.partition)
        store.events.removeLast()
        store.appendFocus("c", of: ben)
        #expect(store.head.nextOffset == known.offset.next)
        #expect(throws: LogTruncated(PartLog.partition)) { try log.catchUp(PartLog.partition) }
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
}
