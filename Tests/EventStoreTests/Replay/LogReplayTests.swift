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

    @Test("A filter that picks more than a chunk holds goes on where the chunk was cut")
    func filteredChunks() throws {
        #expect(try replay([whole], ReplayFilter(types: Set(EventType.allCases))) == history.events)
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
