import FocusCore
import Foundation
import GRDB
import Testing

@testable import FocusSyncClient

@Suite("DeviceStore, recalling") struct DeviceStoreRecallingTests {
    private let directory: TemporaryDirectory
    private let store: DeviceStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try DeviceStore(directory: directory.path)
        try store.claim(Fixture.owner())
    }

    @discardableResult
    private func make(_ count: Int, bytes: Int = 8) throws -> [EventID] {
        try store.enqueue((0..<count).map { _ in Fixture.draft(bytes: bytes) }, clock: Fixture.clock)
            .map(\.envelope.id)
    }

    private func acknowledge(through sequence: Int64, receipt: UInt8? = nil) throws {
        let first = try store.queueRange.acknowledged.next
        let receipts = receipt.map {
            [Receipt(first: first, through: DeviceSequence(sequence), code: [$0])]
        }
        _ = try store.acknowledge(
            Appended(
                throughSequence: DeviceSequence(sequence), version: Version(sequence), refused: [],
                receipts: receipts ?? []),
            clock: Fixture.clock)
    }

    private func recalls() throws -> [Recall] {
        var position = RecallPosition()
        var recalls: [Recall] = []
        while true {
            let (recall, next) = try store.nextToRecall(position)
            guard let recall else { return recalls }
            recalls.append(recall)
            try #require(recalls.count < 1_000, "it recalls without end")
            position = next
        }
    }

    private func summary(_ recalls: [Recall]) -> [String] {
        recalls.map { "\($0.incarnation.rawValue): \($0.firstSequence)+\($0.events.count)" }
    }

    @Test("P10: the incarnation of what a log does not hold is derived; test vectors")
    func derived() throws {
        let device = try #require(DeviceID(bytes: (1...16).map { UInt8($0) }))
        let event = try #require(EventID(text: "0190a5b0-c1d2-7e3f-8a4b-5c6d7e8f9a0b"))
        #expect(
            Incarnation.following(Incarnation(7), DeviceSequence(301), event, of: device, in: .system).rawValue
                == 7_139_299_927_605_823_157)
        let app = try Scope.app(#require(AppID("com.example.chat")))
        #expect(
            Incarnation.following(Incarnation(-2), DeviceSequence(1), event, of: device, in: app).rawValue
                == 7_917_881_059_305_716_589)
    }

    @Test("P10: a Recall asks for at most 1,000 events, and for 256 KiB of payloads, but for one at least")
    func bounds() throws {
        try make(1_001)
        #expect(try recalls().map(\.events.count) == [1_000, 1])
        try make(3, bytes: 100_000)
        try make(2, bytes: EventLimits.payloadBytes)
        #expect(try recalls().map(\.events.count) == [1_000, 3, 1, 1, 1])
    }

    @Test(
        "P10: what is held is acknowledged where it stands, with its answer and receipt, and the rest gets new places")
    func keeps() throws {
        let events = try make(6)
        try acknowledge(through: 2)
        let old = try store.incarnation
        try store.beginRecalling()
        let recall = try #require(try recalls().first)
        #expect(recall == Recall(incarnation: old, firstSequence: DeviceSequence(3), events: Array(events[2...])))
        let receipt = Receipt(first: DeviceSequence(3), through: DeviceSequence(4), code: [5])
        let refused = Outcome.refused(code: "c", message: "m")
        let recalled = Recalled(
            incarnation: old, firstSequence: DeviceSequence(3), outcomes: [.accepted, refused, nil, nil],
            version: Version(9), receipts: [receipt])
        let outcomes = try store.keepRecalled(recalled, recall, clock: Fixture.clock)
        #expect(outcomes.map(\.event) == Array(events[2...3]))
        #expect(outcomes.map(\.verdict) == [.accepted, .refused(code: "c", message: "m")])
        #expect(outcomes.map(\.version) == [Version(9), Version(9)])
        #expect(try store.sent().map(\.sequence.rawValue) == [1, 2, 3, 4])
        #expect(try store.queued().map(\.envelope.id) == Array(events[4...]))
        // The same answer a second time finds nothing to acknowledge.
        #expect(try store.keepRecalled(recalled, recall, clock: Fixture.clock) == [])
        let later = try make(1)
        try store.endRecalling(offersHeld: true)
        #expect(try !store.isRecalling && store.isHealing)
        #expect(
            try store.incarnation
                == .following(
                    old, DeviceSequence(5), events[4], of: Fixture.owner().device, in: Fixture.owner().scope))
        #expect(try store.queued().map(\.envelope.id) == Array(events[4...]) + later)
        #expect(try store.queued().map(\.sequence.rawValue) == [1, 2, 3])
        #expect(try store.queueRange == QueueRange(acknowledged: .zero, last: DeviceSequence(3)))
        #expect(try store.endedIncarnations() == [EndedIncarnation(old, place: store.record().lastSentPlace)])
        #expect(try store.record().queuedEvents == 3 && store.record().queuedBytes == 24)
        #expect(try store.lastAnswered == nil, "nothing was answered in the new one")
        try acknowledge(through: 3)
        #expect(try !store.hasQueued)
        #expect(try store.lastAnswered == later[0])
    }

    @Test("P10: what is queued after the first question is asked for by none, and is no reason to go on asking")
    func queuedMeanwhile() throws {
        try make(2)
        try store.beginRecalling()
        let (first, next) = try store.nextToRecall(RecallPosition())
        #expect(first?.events.count == 2)
        try make(1)
        #expect(try store.nextToRecall(next).0 == nil)
        #expect(try recalls().map(\.events.count) == [3], "another connection does not know that")
    }

    @Test("P10: when nothing is left the new incarnation is drawn")
    func drawn() throws {
        let events = try make(1)
        let old = try store.incarnation
        try store.beginRecalling()
        let recall = try #require(try recalls().first)
        let recalled = Recalled(
            incarnation: old, firstSequence: DeviceSequence(1), outcomes: [.accepted], version: Version(1))
        _ = try store.keepRecalled(recalled, recall)
        try store.endRecalling(offersHeld: false)
        #expect(try store.incarnation != old && !store.record().isHealing && store.incarnation.rawValue > 0)
        #expect(try store.sent().map(\.envelope.id) == events)
    }

    @Test("P10: the id of the last answered event is kept, also when the event is not")
    func lastAnswered() throws {
        #expect(try store.lastAnswered == nil)
        let events = try make(3)
        try acknowledge(through: 2)
        #expect(try store.lastAnswered == events[1])
        try store.write { _, database in _ = try SentRecord.deleteAll(database) }
        try store.close()
        #expect(try DeviceStore(directory: directory.path).lastAnswered == events[1])
    }

    @Test("S6, P10: displaced events are before the queue, with their old places, and the store is recalling")
    func displaced() throws {
        let events = try make(4)
        try acknowledge(through: 4, receipt: 1)
        let old = try store.incarnation
        try store.beginIncarnation(offersHeld: true)
        let current = try store.incarnation
        let more = try make(3)
        try acknowledge(through: 1)
        let position = HealingPosition(place: 0, next: DeviceSequence(2), logged: DeviceSequence(1))
        let (request, _) = try store.nextToHeal(position, maximumBytes: 4_096)
        let refused = [2, 4].map { number in
            RefusedEvent(
                sequence: DeviceSequence(number), event: events[Int(number) - 1], code: "sequence_conflict", message: ""
            )
        }
        try store.keepHealed(
            Appended(throughSequence: DeviceSequence(4), version: Version(9), refused: refused),
            try #require(request))
        #expect(try store.isRecalling)
        #expect(try store.sent().map(\.envelope.id) == [events[0], events[2], more[0]])
        #expect(try store.queued().map(\.envelope.id) == [events[1], events[3], more[1], more[2]])
        #expect(try store.queued().map(\.sequence.rawValue) == [2, 4, 2, 3])
        let (a, b) = (old.rawValue, current.rawValue)
        #expect(try summary(recalls()) == ["\(a): 2+1", "\(a): 4+1", "\(b): 2+2"])
        let record = try store.record()
        #expect(record.queuedEvents == 4 && record.sentBytes == 3 * (DeviceStore.keptRowBytes + 8))
        try store.endRecalling(offersHeld: false)
        #expect(try store.queued().map(\.sequence.rawValue) == [1, 2, 3, 4])
        #expect(try store.queued().map(\.envelope.id) == [events[1], events[3], more[1], more[2]])
    }

    @Test("P10: ended incarnations are remembered as long as acknowledged events, and at most 256 of them")
    func remembers() throws {
        let week = DeviceStore.keptMicroseconds
        func end(_ number: Int, at clock: Timestamp) throws {
            let incarnation = Incarnation(Int64(number))
            _ = try store.keepRecalled(
                Recalled(incarnation: incarnation, firstSequence: DeviceSequence(1), outcomes: [], version: .zero),
                Recall(incarnation: incarnation, firstSequence: DeviceSequence(1), events: []), clock: clock)
        }
        try end(1, at: Fixture.clock)
        let later = Fixture.clock.adding(microseconds: week + 1)
        try end(2, at: later)
        #expect(
            try store.endedIncarnations().map(\.incarnation.rawValue) == [1, 2], "old, and not many were answered since"
        )
        for _ in 0..<10 {
            try make(1_000)
            try acknowledge(through: store.queueRange.last.rawValue)
        }
        try end(3, at: later)
        #expect(try store.endedIncarnations().map(\.incarnation.rawValue) == [2, 3])
        for number in 10..<270 { try end(number, at: later.adding(microseconds: Int64(number))) }
        #expect(try store.endedIncarnations().map(\.incarnation.rawValue) == (14..<270).map(Int64.init))
    }

    @Test("P10: an incarnation ended in one log, and no other log is told to end it")
    func endedInALog() throws {
        func end(_ number: Int64) throws {
            let incarnation = Incarnation(number)
            _ = try store.keepRecalled(
                Recalled(incarnation: incarnation, firstSequence: DeviceSequence(1), outcomes: [], version: .zero),
                Recall(incarnation: incarnation, firstSequence: DeviceSequence(1), events: []), clock: Fixture.clock)
        }
        let (first, second) = (LogID(UUID()), LogID(UUID()))
        try end(1)
        try store.enter(first)
        try end(2)
        #expect(try store.endedIncarnations().map(\.incarnation.rawValue) == [1, 2])
        try store.enter(second)
        #expect(try store.endedIncarnations().isEmpty)
        try end(3)
        #expect(try store.endedIncarnations().map(\.incarnation.rawValue) == [3])
        try store.enter(first)
        #expect(try store.endedIncarnations().map(\.incarnation.rawValue) == [1, 2])
    }

    // MARK: Stores of earlier versions

    @Test("E1, P10: a store of an earlier version opens, and its events have the places that they had")
    func migrates() throws {
        let old = try OldStore(directory: directory.path + "/before", upTo: "4")
        let owner = Fixture.owner()
        let earlier = try old.add(isAcknowledged: true)
        // A later incarnation of that store: its places begin after the first one's.
        old.device.incarnation = 8
        old.device.sequenceBase = 1
        let sent = try (0..<3).map { _ in try old.add(isAcknowledged: true) }
        let queued = try (0..<2).map { _ in try old.add(isAcknowledged: false) }
        try old.finish {
            $0.user = owner.user.description
            $0.device = owner.device.description
            $0.scope = "system"
            $0.isHealing = true
        }
        let store = try DeviceStore(directory: old.directory)
        #expect(try store.owner == owner)
        #expect(try store.isHealing && !store.isRecalling)
        #expect(try store.incarnation == Incarnation(8))
        #expect(try store.queueRange == QueueRange(acknowledged: DeviceSequence(3), last: DeviceSequence(5)))
        #expect(try store.queued().map(\.envelope.id) == queued)
        #expect(try store.queued().map(\.sequence.rawValue) == [4, 5])
        #expect(try store.queued(after: DeviceSequence(3), maximumBytes: .max) == store.queued())
        #expect(try store.lastAnswered == sent[2])
        #expect(try store.sent().map(\.envelope.id) == [earlier] + sent)
        #expect(try store.record().queuedEvents == 2 && store.record().lastSentPlace == 4)
        let new = try store.enqueue([Fixture.draft()], clock: Fixture.clock)
        #expect(new.map(\.sequence.rawValue) == [6])
        _ = try store.acknowledge(
            Appended(throughSequence: DeviceSequence(6), version: Version(9), refused: []), clock: Fixture.clock)
        #expect(try store.sent().map(\.sequence.rawValue) == [1, 1, 2, 3, 4, 5, 6])
        #expect(try !store.hasQueued)
    }

    @Test("P10: a store of an earlier version whose incarnation has no answer yet knows no last event")
    func migratesWithoutAnswer() throws {
        let old = try OldStore(directory: directory.path + "/before", upTo: "4")
        try old.add(isAcknowledged: true)
        old.device.incarnation = 8
        old.device.sequenceBase = 1
        try old.add(isAcknowledged: false)
        try old.finish()
        let store = try DeviceStore(directory: old.directory)
        #expect(try store.lastAnswered == nil)
        #expect(try store.queueRange == QueueRange(acknowledged: .zero, last: DeviceSequence(1)))
    }
}
