import FocusCore
import Foundation
import GRDB
import Testing

@testable import FocusSyncClient

@Suite("DeviceStore, healing") struct DeviceStoreHealingTests {
    private let directory: TemporaryDirectory
    private let store: DeviceStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try DeviceStore(directory: directory.path)
    }

    /// Enqueues and acknowledges `count` events, with a receipt unless `code` is nil.
    private func send(_ count: Int, code: UInt8? = 1, bytes: Int = 8, at clock: Timestamp = Fixture.clock) throws {
        let events = try store.enqueue((0..<count).map { _ in Fixture.draft(bytes: bytes) }, clock: clock)
        let (first, last) = (try #require(events.first), try #require(events.last))
        let receipts = code.map { [Receipt(first: first.sequence, through: last.sequence, code: [$0])] } ?? []
        let refused = [
            RefusedEvent(sequence: first.sequence, event: first.envelope.id, code: "app_unknown", message: "no")
        ]
        _ = try store.acknowledge(
            Appended(
                throughSequence: last.sequence, version: Version(9), refused: count > 1 ? refused : [],
                receipts: receipts), clock: clock)
    }

    /// Everything that the store offers to a log that ends at `logged`.
    private func offers(logged: Int64) throws -> [HealRequest] {
        var position = HealingPosition(
            place: 0, next: DeviceSequence(logged + 1), logged: DeviceSequence(logged))
        var requests: [HealRequest] = []
        while true {
            let (request, next) = try store.nextToHeal(position, maximumBytes: 4_096)
            guard let request else { return requests }
            requests.append(request)
            try #require(requests.count < 1_000, "it offers without end")
            position = next
        }
    }

    private func summary(_ requests: [HealRequest]) -> [String] {
        requests.map { request in
            switch request {
            case .reoffer(let offer): "\(offer.firstSequence)-\(offer.receipt.through) \(offer.code)"
            case .lost(let lost): "lost \(lost.first)-\(lost.last)"
            }
        }
    }

    @Test("S6: receipts of no events, or of more than a frame holds, are none, whatever 64 bits a server says")
    func impossibleReceipts() throws {
        try send(2, code: 1)
        let queued = try store.enqueue([Fixture.draft(), Fixture.draft()], clock: Fixture.clock)
        let last = try #require(queued.last)
        let ends: [(Int64, Int64)] = [
            (5, 4), (3, .max), (.min, .max), (.min, 4), (.max, .min), (0, 4), (3, 1_003), (4, 3), (3, .min),
        ]
        let receipts = ends.map { Receipt(first: DeviceSequence($0), through: DeviceSequence($1), code: [2]) }
        let appended = Appended(
            throughSequence: last.sequence, version: Version(10), refused: [], receipts: receipts)
        _ = try store.acknowledge(appended, clock: Fixture.clock)
        #expect(try summary(offers(logged: 0)) == ["1-2 [1]", "3-4 []"])
        // A store of an earlier version may hold such a receipt already.
        try store.write { _, database in
            for var record in try SentRecord.fetchAll(database) where record.sequence > 2 {
                (record.receipt, record.receiptFirst, record.receiptThrough) = (Data([2]), record.sequence, .max)
                try record.update(database)
            }
        }
        #expect(try summary(offers(logged: 0)) == ["1-2 [1]", "3-4 []"])
    }

    @Test("S6: a receipt with a code that is longer than any is none: it would be kept with each event that it covers")
    func longReceipt() throws {
        let queued = try store.enqueue([Fixture.draft(), Fixture.draft()], clock: Fixture.clock)
        let last = try #require(queued.last)
        let receipts = [64, 65].enumerated().map { index, count in
            let sequence = DeviceSequence(Int64(index + 1))
            return Receipt(first: sequence, through: sequence, code: [UInt8](repeating: 7, count: count))
        }
        let appended = Appended(
            throughSequence: last.sequence, version: Version(10), refused: [], receipts: receipts)
        _ = try store.acknowledge(appended, clock: Fixture.clock)
        let kept = try store.write { _, database in try SentRecord.fetchAll(database).map { $0.receipt?.count } }
        #expect(kept == [64, nil])
    }

    @Test("S6: everything that is held is offered, wherever the log ends, the events of each receipt together")
    func receipts() throws {
        try send(3, code: 1)
        try send(2, code: 2)
        try send(1, code: 3)
        #expect(try summary(offers(logged: 0)) == ["1-3 [1]", "4-5 [2]", "6-6 [3]"])
        #expect(try summary(offers(logged: 4)) == ["1-3 [1]", "4-5 [2]", "6-6 [3]"])
        #expect(try summary(offers(logged: 6)) == ["1-3 [1]", "4-5 [2]", "6-6 [3]"])
    }

    @Test("S6, E2: a refused event is offered as refused, without its payload")
    func refused() throws {
        try send(2)
        guard case .reoffer(let offer) = try offers(logged: 0).first else { throw Missing() }
        #expect(offer.events.map(\.outcome) == [.refused(code: "app_unknown", message: "no"), .accepted])
        #expect(offer.events.map(\.envelope.payload.count) == [0, 8])
    }

    @Test("S6: events without a receipt are offered too, as many as fit")
    func withoutReceipts() throws {
        try send(3, code: nil)
        try send(2, code: 2)
        try send(4, code: nil, bytes: 1_500)
        #expect(
            try summary(offers(logged: 0)) == ["1-3 []", "4-5 [2]", "6-7 []", "8-9 []"])
    }

    @Test("S6: what was offered, or recalled, is offered once more until the cursor is past the answer")
    func unseen() throws {
        func reach(_ version: Int64) throws {
            try store.advance(
                to: Cursor(log: Fixture.log, version: Version(version), event: Fixture.cursor(1).event, view: 1))
        }
        try send(2)
        try reach(9)
        #expect(try !store.isHealing)
        try store.beginHealing(logged: .zero)
        let offer = try #require(try offers(logged: 0).first)
        try store.keepHealed(Appended(throughSequence: DeviceSequence(2), version: Version(50), refused: []), offer)
        try store.endHealing()
        #expect(try store.isHealing, "the log may lose it before anything of it is seen")
        try reach(49)
        #expect(try store.isHealing)
        try reach(50)
        #expect(try !store.isHealing)

        let event = try #require(try store.enqueue([Fixture.draft()], clock: Fixture.clock).first)
        try store.beginRecalling()
        let recall = Recall(
            incarnation: try store.incarnation, firstSequence: event.sequence, events: [event.envelope.id])
        _ = try store.keepRecalled(
            Recalled(
                incarnation: recall.incarnation, firstSequence: recall.firstSequence, outcomes: [.accepted],
                version: Version(60)), recall)
        try store.endRecalling(offersHeld: false)
        #expect(try store.isHealing)
        try reach(60)
        #expect(try !store.isHealing)
    }

    @Test("Z1: a snapshot whose versions are counted otherwise ends what rests on versions of before")
    func otherVersions() throws {
        func snapshot(_ version: Int64, view: UInt64) throws {
            try store.beginStaging()
            try store.finishSnapshot(
                Cursor(log: Fixture.log, version: Version(version), event: Fixture.cursor(1).event, view: view))
        }
        try send(2)
        try snapshot(9, view: 1)
        try store.beginHealing(logged: .zero)
        let offer = try #require(try offers(logged: 0).first)
        try store.keepHealed(Appended(throughSequence: DeviceSequence(2), version: Version(50), refused: []), offer)
        try store.endHealing()
        try snapshot(10, view: 1)
        #expect(try store.isHealing)
        try snapshot(3, view: 2)
        #expect(try !store.isHealing)
    }

    @Test("S6: what is not held any more is lost; events of one receipt leave together")
    func lost() throws {
        try send(40, code: 1)
        for _ in 0..<10 { try send(1_000, code: 2, at: Fixture.clock.adding(microseconds: 1)) }
        // Now there are too many acknowledged events, and the first ones are old.
        try send(1, code: 3, at: Fixture.clock.adding(microseconds: DeviceStore.keptMicroseconds + 1))
        #expect(try store.sent().first?.sequence == DeviceSequence(41))
        #expect(try Array(summary(offers(logged: 10)).prefix(2)) == ["lost 11-40", "41-1040 [2]"])
        #expect(try summary(offers(logged: 10)).last == "10041-10041 [3]")
    }

    @Test("S6: past 256 MiB the oldest leave, however young")
    func bytes() throws {
        let size = 250_000
        let count = Int(DeviceStore.keptBytes) / (size + Int(DeviceStore.keptRowBytes))
        for _ in 0..<count { try send(1, bytes: size) }
        #expect(try store.sent().count == count)
        try send(1, bytes: size)
        #expect(try store.sent().count == count)
        #expect(try store.sent().first?.sequence == DeviceSequence(2))
        // Events without a payload count too.
        try send(1_000, bytes: 0)
        #expect(try store.sent().first?.sequence == DeviceSequence(4))
        #expect(try store.sent().count == count + 998)
    }

    @Test("S6: a store of before events without a payload counted counts anew, and knows the log of its cursor")
    func earlierStore() throws {
        let log = LogID(Fixture.user(1).uuid)
        let old = try OldStore(directory: directory.path + "/before", upTo: "3")
        for bytes in [8, 0, 0] { try old.add(bytes: bytes, isAcknowledged: true) }
        try old.finish { ($0.sentBytes, $0.cursorLog) = (8, Data(log.bytes)) }
        let store = try DeviceStore(directory: old.directory)
        #expect(try store.record().sentBytes == 8 + 3 * DeviceStore.keptRowBytes)
        #expect(try store.log == log)
        #expect(
            try store.nextToHeal(HealingPosition(place: 0, next: DeviceSequence(1), logged: .zero), maximumBytes: 4_096)
                .0?.lastSequence == DeviceSequence(3))
        // The events belong to the log of the cursor, so the store offers them to no other.
        try store.enter(LogID(Fixture.user(2).uuid))
        try store.beginIncarnation(offersHeld: true)
        #expect(try !store.isHealing)
    }

    @Test("S6: what an earlier incarnation had acknowledged is offered first, under its own sequences")
    func incarnations() throws {
        try send(2, code: 1)
        let old = try store.incarnation
        try store.beginIncarnation(offersHeld: false)
        try send(1, code: 2)
        let requests = try offers(logged: 0)
        #expect(summary(requests) == ["1-2 [1]", "1-1 [2]"])
        #expect(try requests.map(\.incarnation) == [old, store.incarnation])
        #expect(try summary(offers(logged: 1)) == ["1-2 [1]", "1-1 [2]"])
    }

    @Test("S6: a new incarnation offers what earlier ones had acknowledged: it would not notice that the log lost it")
    func offersHeld() throws {
        try store.beginIncarnation(offersHeld: true)
        #expect(try !store.isHealing, "nothing is held")
        try send(2, code: 1)
        try store.beginIncarnation(offersHeld: true)
        #expect(try store.isHealing)
        #expect(try summary(offers(logged: 0)) == ["1-2 [1]"])
        try store.beginIncarnation(offersHeld: false)
        #expect(try !store.isHealing, "another log, or a server that does not know healing, gets nothing")
    }

    @Test("S6: what a log had acknowledged is offered to no other, and to that one again when it is back")
    func otherLog() throws {
        let logs = [LogID(Fixture.user(1).uuid), LogID(Fixture.user(2).uuid)]
        // The first event was acknowledged by a store that did not record by which log.
        try send(1, code: 1)
        for (index, log) in logs.enumerated() {
            try store.enter(log)
            try store.beginIncarnation(offersHeld: true)
            #expect(try store.isHealing == (index == 0) && store.log == log)
            try send(2, code: UInt8(index + 2))
        }
        #expect(try summary(offers(logged: 0)) == ["1-2 [3]"])
        try store.enter(logs[0])
        try store.beginIncarnation(offersHeld: true)
        #expect(try store.isHealing)
        #expect(try summary(offers(logged: 0)) == ["1-1 [1]", "1-2 [2]"])
    }

    @Test("S6: that a healing goes on is kept, and new answers and receipts with the events")
    func keeps() throws {
        try send(3, code: nil)
        try store.beginHealing(logged: .zero)
        #expect(try store.isHealing)
        guard let request = try offers(logged: 0).first, case .reoffer(let offer) = request else { throw Missing() }
        let refused = RefusedEvent(
            sequence: DeviceSequence(2), event: offer.events[1].envelope.id, code: "app_unknown", message: "now")
        let receipt = Receipt(first: DeviceSequence(1), through: DeviceSequence(3), code: [7])
        try store.keepHealed(
            Appended(
                throughSequence: DeviceSequence(3), version: Version(20), refused: [refused], receipts: [receipt]),
            request)
        try store.endHealing()
        #expect(try !store.record().isHealing)
        #expect(
            try store.sent().map(\.verdict) == [
                .refused(code: "app_unknown", message: "no"), .refused(code: "app_unknown", message: "now"), .accepted,
            ])
        #expect(try summary(offers(logged: 0)) == ["1-3 [7]"])
    }

    private struct Missing: Error {}
}
