import FocusCore
import Foundation
import PostgresClient
import Testing

@testable import EventStore

@Suite("LogReplay")
struct LogReplayTests {
    private let fixture: StoreFixture
    private let history: RandomHistory
    private let whole: PartitionRange

    init() throws {
        fixture = try StoreFixture()
        history = try RandomHistory(seed: 8, users: 4, events: 1_500)
        try history.log(on: fixture.connection())
        whole = PartitionRange(partition: RandomHistory.partition, offsets: .zero..<LogOffset(1_500))
    }

    private func replay(_ ranges: [PartitionRange], _ filter: ReplayFilter = ReplayFilter()) throws -> [LoggedEvent] {
        var events: [LoggedEvent] = []
        try LogReplay(fixture.configuration, filter: filter).run(ranges) { events.append($0) }
        return events
    }

    @Test("The whole log comes back, in order and as it was written, and folds to the same states")
    func everything() throws {
        let events = try replay([whole])
        #expect(events == history.events)
        var states: [UserID: UserState] = [:]
        for event in events { _ = try states[event.user, default: UserState(user: event.user)].apply(event.decoded()) }
        for user in history.users { #expect(states[user]?.lastEvent == history.last(of: user).lastEvent) }
    }

    @Test("Ranges follow one another, and an empty one gives nothing")
    func ranges() throws {
        let range = { (from: Int64, to: Int64) in
            PartitionRange(partition: RandomHistory.partition, offsets: LogOffset(from)..<LogOffset(to))
        }
        let events = try replay([range(40, 45), range(7, 7), range(1_490, 1_500)])
        #expect(events.map(\.offset.rawValue) == Array(40..<45) + Array(1_490..<1_500))
        #expect(try replay([]).isEmpty)
    }

    @Test("A filter by type, user or both gives just those")
    func filters() throws {
        let types: Set<EventType> = [.notificationPosted, .badgeCleared]
        let user = history.users[2]
        let isOfType = { (event: LoggedEvent) in types.contains(EventType(rawValue: event.type)!) }
        #expect(try replay([whole], ReplayFilter(types: types)) == history.events.filter(isOfType))
        #expect(try replay([whole], ReplayFilter(user: user)) == history.events.filter { $0.user == user })
        let late = PartitionRange(partition: RandomHistory.partition, offsets: LogOffset(600)..<LogOffset(900))
        #expect(
            try replay([late], ReplayFilter(types: types, user: user))
                == history.events[600..<900].filter { $0.user == user && isOfType($0) })
    }

    @Test("Where the log has a hole the replay fails: no event comes twice, and none from behind it")
    func hole() throws {
        let owner = try fixture.owner()
        defer { owner.close() }
        try owner.execute("ALTER TABLE events DISABLE TRIGGER ALL; DELETE FROM events WHERE log_offset = 700")
        var offsets: [Int64] = []
        #expect(throws: EventStoreError.self) {
            try LogReplay(fixture.configuration).run([whole]) { offsets.append($0.offset.rawValue) }
        }
        #expect(offsets == Array(0..<Int64(offsets.count)) && offsets.count <= 700)
    }

    @Test("Large events that a filter picks are read a few at a time, and none is left out")
    func filteredBytes() throws {
        let source = ReplaySource(ReplayFilter(types: Set(EventType.allCases)), targetBytes: 100)
        let connection = try fixture.connection()
        defer { connection.close() }
        var (range, names, events) = (whole, EventNames(), [LoggedEvent]())
        while !range.offsets.isEmpty {
            let chunk = try source.chunk(range, after: nil, into: LoggedContent(), on: connection)
            var bytes: [Int] = []
            try chunk.content.forEach(in: range.partition, &names) { event in
                bytes.append(event.payload.count)
                events.append(event)
            }
            #expect(bytes.dropLast().reduce(0, +) < 800)
            range = PartitionRange(partition: range.partition, offsets: chunk.next..<range.offsets.upperBound)
        }
        #expect(events == history.events)
    }

    @Test("A filter that picks more than a chunk holds goes on where the chunk was cut")
    func filteredChunks() throws {
        #expect(try replay([whole], ReplayFilter(types: Set(EventType.allCases))) == history.events)
    }

    @Test("Large events cut chunks short, and come in order all the same, from one connection or two")
    func cutChunks() throws {
        let fixture = try StoreFixture()
        // Small ones first, so that stretches span many offsets: what later ones hold takes more than a chunk may.
        let sizes = Array(repeating: 0, count: 3_000) + Array(repeating: 200_000, count: 300)
        let range = try Self.append(payloads: sizes, to: fixture)
        // Another range is asked for while what is left of a chunk that was cut off is still to come.
        let again = PartitionRange(partition: range.partition, offsets: LogOffset(5)..<LogOffset(15))
        for readers in 1...2 {
            var (offsets, passed): ([LogOffset], [LogOffset]) = ([], [])
            try LogReplay(fixture.configuration, readers: readers).run([range, again], passed: { passed.append($1) }) {
                offsets.append($0.offset)
            }
            #expect(offsets == (Array(sizes.indices) + Array(5..<15)).map { LogOffset(Int64($0)) })
            #expect(passed.popLast() == again.offsets.upperBound)
            #expect(passed == passed.sorted() && passed.last == range.offsets.upperBound)
            // 60 MB, of which a chunk holds eight times what it aims at, and one event more.
            #expect(passed.count >= 60_000_000 / (8 * LogReplay.targetBytes + 200_000))
        }
    }

    /// Appends an event of each size to an empty partition, and returns its range.
    private static func append(payloads sizes: [Int], to fixture: StoreFixture) throws -> PartitionRange {
        let connection = try fixture.connection()
        defer { connection.close() }
        let user = UserID(UUID())
        for first in stride(from: 0, to: sizes.count, by: 100) {
            let head = try #require(LogReader().heads(of: [Partition(0)], on: connection).first)
            var events: [LoggedEvent] = []
            for index in first..<min(first + 100, sizes.count) {
                let time = Timestamp(microseconds: Int64(index))
                events.append(
                    LoggedEvent(
                        partition: head.partition, offset: LogOffset(Int64(index)), user: user,
                        version: Version(Int64(index) + 1), device: DeviceID(UUID()), incarnation: Incarnation(1),
                        sequence: DeviceSequence(1), id: EventID(UUID()), type: "badge.cleared",
                        app: AppID("com.example.chat"), occurredAt: time, recordedAt: max(head.lastRecordedAt, time),
                        schemaVersion: 1, payload: [UInt8](repeating: 120, count: sizes[index])))
            }
            _ = try LogWriter().append([PartitionAppend(behind: head, events: events)], on: connection)
        }
        return PartitionRange(partition: Partition(0), offsets: .zero..<LogOffset(Int64(sizes.count)))
    }

    @Test("What the consumer throws ends the replay and comes out")
    func consumerThrows() throws {
        struct Enough: Error {}
        var count = 0
        #expect(throws: Enough.self) {
            try LogReplay(fixture.configuration).run([whole]) { _ in
                count += 1
                if count == 3 { throw Enough() }
            }
        }
        #expect(count == 3)
    }

    @Test("A range that the log does not have is an error, not an endless wait")
    func beyondTheLog() throws {
        let beyond = PartitionRange(partition: RandomHistory.partition, offsets: LogOffset(1_499)..<LogOffset(1_600))
        #expect(throws: EventStoreError.self) { _ = try replay([beyond]) }
    }

    @Test("A consumer that stands still holds no snapshot")
    func noSnapshotHeld() throws {
        let observer = try fixture.owner()
        try LogReplay(fixture.configuration).run([whole]) { event in
            guard event.offset == LogOffset(5) else { return }
            try observer.waitForNoSnapshot()
        }
    }
}
