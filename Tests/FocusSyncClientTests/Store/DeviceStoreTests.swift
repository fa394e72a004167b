import FocusCore
import FocusSyncClient
import Foundation
import GRDB
import Testing

@Suite("DeviceStore")
struct DeviceStoreTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func open() throws -> DeviceStore { try DeviceStore(directory: directory.path) }

    @Test("What was queued, confirmed and pointed at is there after reopening")
    func reopens() throws {
        let store = try open()
        try store.claim(Fixture.owner())
        let incarnation = try store.incarnation
        let events = try store.enqueue([Fixture.draft("a"), Fixture.draft("b")], clock: Fixture.clock)
        try store.apply([Fixture.row("n", [1, 2], version: 3)], Fixture.cursor(3))
        let digests = try store.digests()
        try store.close()

        let again = try open()
        #expect(try again.incarnation == incarnation)
        #expect(try again.owner == Fixture.owner())
        #expect(try again.queued() == events)
        #expect(try again.cursor == Fixture.cursor(3))
        #expect(try again.rows().map(\.value) == [[1, 2]])
        #expect(try again.digests() == digests)
        #expect(try again.queueRange == QueueRange(acknowledged: .zero, last: DeviceSequence(2)))
    }

    @Test("A store is for one owner, and for one user of its directory at a time")
    func ownership() throws {
        let store = try open()
        try store.claim(Fixture.owner())
        try store.claim(Fixture.owner())
        let other = Fixture.owner(.app(try #require(AppID("com.example.chat"))))
        #expect(throws: DeviceStoreError.otherOwner(stored: Fixture.owner(), asked: other)) { try store.claim(other) }
        #expect(throws: DeviceStoreError.inUse(directory: directory.path)) { try open() }
        try store.close()
        _ = try open()
    }

    @Test("A3: an erased store takes nothing more, of a session or a person, until somebody claims it")
    func erased() throws {
        let store = try open()
        try store.claim(Fixture.owner())
        _ = try store.apply([Fixture.row("n", [1], version: 1)], Fixture.cursor(1))
        #expect(try store.erase().count == 1)
        #expect(throws: DeviceStoreError.erased) { try store.enqueue([Fixture.draft()], clock: Fixture.clock) }
        #expect(throws: DeviceStoreError.erased) {
            try store.apply([Fixture.row("n", [1], version: 2)], Fixture.cursor(2))
        }
        #expect(throws: DeviceStoreError.erased) { try store.stage([Fixture.row("n", [1], version: 2)]) }
        #expect(throws: DeviceStoreError.erased) { try store.finishSnapshot(Fixture.cursor(2)) }
        #expect(throws: DeviceStoreError.erased) { try store.advance(to: Fixture.cursor(2)) }
        #expect(try store.rows().isEmpty)
        #expect(try !store.hasQueued)
        #expect(try store.cursor == nil)
        #expect(try store.owner == nil)
        let other = Fixture.owner(.app(try #require(AppID("com.example.chat"))))
        try store.claim(other)
        _ = try store.enqueue([Fixture.draft()], clock: Fixture.clock)
        #expect(try store.owner == other)
        #expect(try store.hasQueued)
    }

    @Test("A store whose file holds what it never wrote says so, and ends nobody")
    func damaged() throws {
        var store = try open()
        let event = try #require(try store.enqueue([Fixture.draft()], clock: Fixture.clock).first)
        try store.close()
        for (damage, mend) in [
            ("UPDATE device SET lastSequence = 9223372036854775807", "UPDATE device SET lastSequence = 1"),
            ("UPDATE device SET lastPlace = 9223372036854775807", "UPDATE device SET lastPlace = 1"),
            ("UPDATE device SET queuedBytes = -1", "UPDATE device SET queuedBytes = 8"),
            ("UPDATE device SET acknowledgedSequence = 2", "UPDATE device SET acknowledgedSequence = 0"),
        ] {
            try change(damage)
            store = try open()
            #expect(throws: DeviceStoreError.self, "\(damage)") {
                try store.enqueue([Fixture.draft()], clock: Fixture.clock)
            }
            try store.close()
            try change(mend)
        }
        try change("UPDATE queue SET occurredAt = 'x'")
        store = try open()
        // SQLite reads a text as the number 0, which is a time too.
        #expect(try !store.observe(Fixture.reading(clock: Fixture.clock), logged: .zero))
        try store.close()
        try change("UPDATE queue SET occurredAt = \(event.envelope.occurredAt.microseconds)")
        #expect(try open().queued() == [event])
    }

    /// Changes the file while no store has it open.
    private func change(_ sql: String) throws {
        let database = try DatabaseQueue(path: directory.path + "/device.sqlite")
        try database.write { try $0.execute(sql: sql) }
        try database.close()
    }

    @Test("E1: sequences are 1, 2, 3 …; acknowledged events leave, the others keep theirs")
    func acknowledges() throws {
        let store = try open()
        let events = try store.enqueue(
            [Fixture.draft("a"), Fixture.draft("b"), Fixture.draft("c")], clock: Fixture.clock)
        #expect(events.map(\.sequence.rawValue) == [1, 2, 3])
        let refused = RefusedEvent(
            sequence: DeviceSequence(2), event: events[1].envelope.id, code: "app_unknown", message: "m")
        let outcomes = try store.acknowledge(
            Appended(throughSequence: DeviceSequence(2), version: Version(9), refused: [refused]))
        #expect(outcomes.map(\.verdict) == [.accepted, .refused(code: "app_unknown", message: "m")])
        #expect(outcomes.map(\.event) == events[...1].map(\.envelope.id))
        #expect(try store.queued() == [events[2]])
        let repeated = Appended(throughSequence: DeviceSequence(1), version: Version(9), refused: [])
        #expect(try store.acknowledge(repeated) == [])
        #expect(try store.enqueue([Fixture.draft()], clock: Fixture.clock).map(\.sequence.rawValue) == [4])
    }

    @Test("E1: a new incarnation has the unacknowledged events, in order, with their ids, from 1 on")
    func beginsIncarnation() throws {
        let store = try open()
        let events = try store.enqueue(
            [Fixture.draft("a"), Fixture.draft("b"), Fixture.draft("c")], clock: Fixture.clock)
        _ = try store.acknowledge(Appended(throughSequence: DeviceSequence(1), version: Version(1), refused: []))
        let before = try store.incarnation
        try store.beginIncarnation(offersHeld: false)
        #expect(try store.incarnation != before)
        #expect(try store.queued().map(\.sequence.rawValue) == [1, 2])
        #expect(try store.queued().map(\.envelope) == events[1...].map(\.envelope))
        #expect(try store.queueRange == QueueRange(acknowledged: .zero, last: DeviceSequence(2)))
        _ = try store.acknowledge(Appended(throughSequence: DeviceSequence(2), version: Version(3), refused: []))
        #expect(try store.queueRange.isEmpty)
    }

    @Test("The queue is bounded: what does not fit is refused whole")
    func bounded() throws {
        let store = try open()
        let many = [EventDraft](repeating: Fixture.draft(), count: DeviceStore.queueLimit - 1)
        _ = try store.enqueue(many, clock: Fixture.clock)
        #expect(throws: DeviceStoreError.self) {
            try store.enqueue([Fixture.draft(), Fixture.draft()], clock: Fixture.clock)
        }
        #expect(try store.queueRange.last.rawValue == Int64(DeviceStore.queueLimit - 1))
        #expect(DeviceStore.payloadByteLimit == 256 * 1024)
        #expect(throws: DeviceStoreError.self) {
            try store.enqueue([Fixture.draft(bytes: DeviceStore.payloadByteLimit + 1)], clock: Fixture.clock)
        }
        // No frame could carry it, and nothing behind it would ever be sent.
        let name = String(repeating: "a", count: DeviceStore.nameByteLimit)
        for draft in [
            EventDraft(type: name + "a", app: nil, payload: []),
            EventDraft(type: "badge.cleared", app: name + "a", payload: []),
        ] {
            #expect(throws: DeviceStoreError.nameTooLong(bytes: 1_025, limit: 1_024)) {
                try store.enqueue([draft], clock: Fixture.clock)
            }
        }
        #expect(try store.queueRange.last.rawValue == Int64(DeviceStore.queueLimit - 1))
        _ = try store.enqueue(
            [EventDraft(type: "badge.cleared", app: name, payload: [])], clock: Fixture.clock)
    }

    @Test("S6: acknowledged events are kept until both 7 days and 10,000 events are exceeded")
    func keepsSent() throws {
        let store = try open()
        func send(_ count: Int, at clock: Timestamp) throws {
            for start in stride(from: 0, to: count, by: 5_000) {
                let drafts = [EventDraft](repeating: Fixture.draft(), count: min(5_000, count - start))
                let last = try #require(try store.enqueue(drafts, clock: clock).last)
                let appended = Appended(throughSequence: last.sequence, version: Version(1), refused: [])
                _ = try store.acknowledge(appended, clock: clock)
            }
        }
        let week = DeviceStore.keptMicroseconds
        try send(DeviceStore.keptEvents, at: Fixture.clock)
        // Old enough, but not too many: all stay.
        try send(1, at: Fixture.clock.adding(microseconds: 1))
        #expect(try store.sent().count == DeviceStore.keptEvents + 1)
        // Too many, but not old enough: all stay.
        try send(9, at: Fixture.clock.adding(microseconds: week))
        #expect(try store.sent().count == DeviceStore.keptEvents + 10)
        try send(1, at: Fixture.clock.adding(microseconds: week + 1))
        #expect(try store.sent().count == DeviceStore.keptEvents)
        #expect(try store.sent().first?.sequence == DeviceSequence(12))
        let after = try store.sent(of: store.incarnation, after: DeviceSequence(Int64(DeviceStore.keptEvents)))
        #expect(after.count == 11)
    }

    @Test("S6: events that were acknowledged by a clock in the future age from the moment that shows it")
    func keepsSentOfTheFuture() throws {
        let store = try open()
        func send(_ count: Int, at clock: Timestamp) throws {
            let last = try #require(
                try store.enqueue([EventDraft](repeating: Fixture.draft(), count: count), clock: clock).last)
            let appended = Appended(throughSequence: last.sequence, version: Version(1), refused: [])
            _ = try store.acknowledge(appended, clock: clock)
        }
        let week = DeviceStore.keptMicroseconds
        try send(10, at: Fixture.clock.adding(microseconds: 52 * week))
        try send(DeviceStore.keptEvents, at: Fixture.clock)
        // Too many, but not old enough: all stay.
        try send(1, at: Fixture.clock.adding(microseconds: week))
        #expect(try store.sent().count == DeviceStore.keptEvents + 11)
        try send(1, at: Fixture.clock.adding(microseconds: week + 1))
        #expect(try store.sent().count == DeviceStore.keptEvents)
    }

    @Test("E3: an event is stamped after everything the device has seen, whatever its clock says")
    func stamps() throws {
        let store = try open()
        let slow = Timestamp(microseconds: 1_000)
        try store.observe(Fixture.reading(clock: slow), logged: .zero)
        let first = try store.enqueue([Fixture.draft(), Fixture.draft()], clock: slow).map(\.envelope.occurredAt)
        #expect(first == [Fixture.clock.adding(microseconds: 1), Fixture.clock.adding(microseconds: 2)])
        var posted = NotificationRow(
            NotificationPosted(notificationID: "n", body: ""), title: "t", postedAt: Fixture.clock, unread: true)
        posted.postedAt = Fixture.clock.adding(microseconds: 500)
        try store.apply([Fixture.row("n", posted.encoded, version: 1)], Fixture.cursor(1))
        let second = try store.enqueue([Fixture.draft()], clock: slow).map(\.envelope.occurredAt)
        #expect(second == [Fixture.clock.adding(microseconds: 501)])
    }

    @Test("E4: a chosen time far ahead does not drag later events with it")
    func chosenTimes() throws {
        let store = try open()
        var wild = Fixture.draft()
        wild.occurredAt = Fixture.clock.adding(microseconds: 3_600_000_000)
        var near = Fixture.draft()
        near.occurredAt = Fixture.clock.adding(microseconds: 10)
        let times = try store.enqueue([wild, near, Fixture.draft()], clock: Fixture.clock).map(\.envelope.occurredAt)
        #expect(times == [wild.occurredAt, near.occurredAt, Fixture.clock.adding(microseconds: 11)])
    }

    @Test("E4: nor do chosen times that are each a little ahead of the one before")
    func chosenTimesInARow() throws {
        let store = try open()
        let minute: Int64 = 60_000_000
        let drafts = (1...Int64(4)).map { number in
            var draft = Fixture.draft()
            draft.occurredAt = Fixture.clock.adding(microseconds: 4 * number * minute)
            return draft
        }
        let times = try store.enqueue(drafts + [Fixture.draft()], clock: Fixture.clock).map(\.envelope.occurredAt)
        #expect(times.last == Fixture.clock.adding(microseconds: 4 * minute + 1))
    }

    @Test("E4: a clock that was a year ahead once does not have every later event refused")
    func clockInTheFuture() throws {
        let store = try open()
        let year: Int64 = 365 * 86_400_000_000
        _ = try store.enqueue([Fixture.draft()], clock: Fixture.clock.adding(microseconds: year))
        // The clock is corrected before the device hears a server: the queued event cannot have happened later than
        // now.
        try store.observe(Fixture.reading(clock: Fixture.clock), logged: .zero)
        #expect(try store.queued().map(\.envelope.occurredAt) == [Fixture.clock])
        try store.close()
        let again = try open()
        let later = Fixture.clock.adding(microseconds: 1_000_000)
        let times = try again.enqueue([Fixture.draft(), Fixture.draft()], clock: later).map(\.envelope.occurredAt)
        #expect(times == [later, later.adding(microseconds: 1)])
    }

    @Test("E4: what a clock an hour fast has stamped moves by that hour, in order, once its device hears a server")
    func fastClock() throws {
        let store = try open()
        let (minute, ahead) = (Int64(60_000_000), Int64(3_600_000_000))
        let at = { Fixture.clock.adding(microseconds: $0) }
        // Made at -90, -50, -10 and 0 minutes by the server's clock. With an hour added, the first seems to be 30
        // minutes old.
        for real in [-90, -50, -10, 0] {
            _ = try store.enqueue([Fixture.draft(), Fixture.draft()], clock: at(Int64(real) * minute + ahead))
        }
        #expect(try store.observe(Fixture.reading(clock: at(ahead)), logged: .zero))
        let times = try store.queued().map { $0.envelope.occurredAt.microseconds - Fixture.clock.microseconds }
        // Nothing shows that the first two stamps are wrong, and later events stay after them.
        #expect(
            times == [
                -30 * minute, -30 * minute + 1, -30 * minute + 2, -30 * minute + 3, -10 * minute, -10 * minute + 1, 0,
                1,
            ])
        #expect(try !store.observe(Fixture.reading(latest: 2, clock: at(ahead)), logged: .zero))
        let next = try store.enqueue([Fixture.draft()], clock: Fixture.clock).first
        #expect(next?.envelope.occurredAt == at(2))
    }

    @Test("E4: times that the caller chose stay, and so do those of events that the log has, or may have had by now")
    func otherTimesStay() throws {
        let store = try open()
        let hour: Int64 = 3_600_000_000
        let fast = Fixture.clock.adding(microseconds: hour)
        var chosen = Fixture.draft()
        chosen.occurredAt = fast
        let drafts = [Fixture.draft(), Fixture.draft(), chosen, Fixture.draft()]
        let queued = try store.enqueue(drafts, clock: fast).map(\.envelope.occurredAt)
        // Welcome may have been under way for an hour, so the stamps may be correct.
        #expect(try !store.observe(Fixture.reading(latest: hour + 3, clock: fast), logged: .zero))
        #expect(try store.queued().map(\.envelope.occurredAt) == queued)
        #expect(try store.observe(Fixture.reading(clock: fast), logged: DeviceSequence(1)))
        let times = try store.queued().map(\.envelope.occurredAt)
        #expect(times == [queued[0], Fixture.clock, fast, Fixture.clock.adding(microseconds: 1)])
    }

    @Test("E4: extremes of either clock are times too")
    func extremeClocks() throws {
        for (clock, serverTime) in [(Int64.max, Int64.min), (.max, 0), (.min, .max), (.max, .max), (.min, .min)] {
            let store = try DeviceStore(directory: directory.path + "/\(clock)/\(serverTime)")
            let wrong = Timestamp(microseconds: clock)
            _ = try store.enqueue([Fixture.draft(), Fixture.draft()], clock: wrong)
            let server = Timestamp(microseconds: serverTime)
            let reading = ClockReading(serverTime: server, latest: server, clock: wrong)
            for logged in [Int64.min, 0, .max] { try store.observe(reading, logged: DeviceSequence(logged)) }
            _ = try store.enqueue([Fixture.draft()], clock: wrong)
            let times = try store.queued().map(\.envelope.occurredAt)
            #expect(times.count == 3 && times == times.sorted(), "\(clock), \(serverTime)")
        }
    }

    @Test("E3, E4: what the device has seen as far ahead as events may be is kept at Welcome")
    func aheadWithinTheLimit() throws {
        let store = try open()
        let ahead = Fixture.clock.adding(microseconds: 4 * 60_000_000)
        let posted = NotificationRow(
            NotificationPosted(notificationID: "n", body: ""), title: "t", postedAt: ahead, unread: true)
        try store.apply([Fixture.row("n", posted.encoded, version: 1)], Fixture.cursor(1))
        try store.observe(Fixture.reading(clock: Fixture.clock), logged: .zero)
        let time = try store.enqueue([Fixture.draft()], clock: Fixture.clock).first?.envelope.occurredAt
        #expect(time == ahead.adding(microseconds: 1))
    }

    @Test("Event ids are UUIDv7 of the time they were queued at")
    func eventIDs() throws {
        let id = try #require(try open().enqueue([Fixture.draft()], clock: Fixture.clock).first).envelope.id.bytes
        #expect(id[6] >> 4 == 7)
        #expect(id[8] >> 6 == 2)
        #expect(id[..<6].reduce(Int64(0)) { $0 << 8 | Int64($1) } == Fixture.clock.microseconds / 1_000)
    }

    @Test("A store's files are for its owner alone, also in a directory that was there and open to all")
    func closedFiles() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
        let store = try open()
        _ = try store.enqueue([Fixture.draft()], clock: Fixture.clock)
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(files.contains("device.sqlite") && files.contains("device.sqlite-wal"))
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/" + file)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
        }
        try store.close()
        // A file that an earlier version of this library made.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: directory.path + "/device.sqlite")
        let again = try open()
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/device.sqlite")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try again.close()
    }
}
