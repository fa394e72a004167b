import FocusCore
import Foundation
import PostgresClient
import Testing

@testable import EventStore

@Suite("MergedReplay")
struct MergedReplayTests {
    private let fixture: StoreFixture
    private let ranges: [PartitionRange]
    /// The events of the log, one partition after the other.
    private let log: [LoggedEvent]

    init() throws {
        fixture = try StoreFixture()
        try LogGenerator(LogPlan(events: 5_000, users: 12, seed: 5), into: fixture.configuration)
            .run(threads: 2, appends: false)
        let connection = try fixture.connection()
        defer { connection.close() }
        ranges = try LogReader().heads(of: (0..<StoreFixture.partitions).map { Partition($0) }, on: connection).map {
            PartitionRange(partition: $0.partition, offsets: .zero..<$0.nextOffset)
        }
        var events: [LoggedEvent] = []
        try LogReplay(fixture.configuration).run(ranges) { events.append($0) }
        log = events
    }

    private static func merged(_ events: [LoggedEvent]) -> [LoggedEvent] {
        events.sorted { ($0.recordedAt, $0.partition, $0.offset) < ($1.recordedAt, $1.partition, $1.offset) }
    }

    private func replay(_ ranges: [PartitionRange], _ filter: ReplayFilter = ReplayFilter()) throws -> [LoggedEvent] {
        var events: [LoggedEvent] = []
        try MergedReplay(fixture.configuration, filter: filter).run(ranges) { events.append($0) }
        return events
    }

    @Test("All partitions come as one stream in the order of recording, each in its own order")
    func merged() throws {
        #expect(try replay(ranges) == Self.merged(log))
        #expect(try replay([]).isEmpty)
    }

    @Test("Filters by type, app, device and user give just those, in the same order")
    func filters() throws {
        let device = try #require(log.first { $0.device != .server }).device
        let app = try #require(AppID("com.example.messages"))
        let busiest = try #require(
            Dictionary(grouping: log, by: \.user).max { $0.value.count < $1.value.count }?.key)
        let cases: [(ReplayFilter, (LoggedEvent) -> Bool)] = [
            (ReplayFilter(types: [.focusChanged]), { $0.type == "focus.changed" }),
            (ReplayFilter(apps: [app]), { $0.app == app }),
            (ReplayFilter(devices: [device]), { $0.device == device }),
            (ReplayFilter(devices: [.server]), { $0.device == .server }),
            (ReplayFilter(user: busiest), { $0.user == busiest }),
            (
                ReplayFilter(types: [.notificationPosted], apps: [app], user: busiest),
                { $0.user == busiest && $0.app == app && $0.type == "notification.posted" }
            ),
        ]
        for (filter, includes) in cases {
            let expected = Self.merged(log.filter(includes))
            #expect(!expected.isEmpty)
            #expect(try replay(ranges, filter) == expected)
        }
    }

    @Test("Whoever stops anywhere and goes on from the places passed has every event once")
    func resumed() throws {
        struct Enough: Error {}
        for stop in [1, 777, 4_999] {
            var places = Dictionary(uniqueKeysWithValues: ranges.map { ($0.partition, $0.offsets.lowerBound) })
            var seen: [LoggedEvent] = []
            #expect(throws: Enough.self) {
                try MergedReplay(fixture.configuration).run(ranges, passed: { places[$0] = $1 }) { event in
                    if seen.count == stop { throw Enough() }
                    seen.append(event)
                    places[event.partition] = event.offset.next
                }
            }
            let rest = ranges.map { range in
                let place = places[range.partition] ?? .zero
                return PartitionRange(partition: range.partition, offsets: place..<range.offsets.upperBound)
            }
            #expect(try seen + replay(rest) == Self.merged(log))
        }
    }

    @Test("When the connection breaks, whichever partition is waited for next hears of it, after what was read of it")
    func broken() throws {
        struct Broken: Error {}
        let queue = MergeQueue(lanes: 3)
        for lane in 0..<3 { queue.ask(lane) }
        let chunk = ReplayChunk(
            partition: Partition(2), content: .events([]), next: LogOffset(1), byteCount: 0, count: 0)
        queue.enqueue(chunk, 2)
        #expect(queue.nextRequest() == 0)
        queue.fail(Broken())
        #expect(throws: Broken.self) { try queue.dequeue(1) }
        #expect(throws: Broken.self) { try queue.dequeue(0) }
        #expect(try queue.dequeue(2).next == LogOffset(1))
        #expect(throws: Broken.self) { try queue.dequeue(2) }
    }

    @Test("A place is found by time: the first event recorded then or later")
    func byTime() throws {
        let connection = try fixture.connection()
        defer { connection.close() }
        for range in ranges {
            let own = log.filter { $0.partition == range.partition }
            for index in [0, own.count / 3, own.count - 1] {
                let time = own[index].recordedAt
                let expected = try #require(own.firstIndex { $0.recordedAt >= time })
                #expect(
                    try LogReader().firstOffset(
                        recordedFrom: time, partition: range.partition, in: range.offsets, on: connection)
                        == LogOffset(Int64(expected)))
            }
            let after = own[own.count - 1].recordedAt.adding(microseconds: 1)
            #expect(
                try LogReader().firstOffset(
                    recordedFrom: after, partition: range.partition, in: range.offsets, on: connection)
                    == range.offsets.upperBound)
        }
    }

    @Test("Whoever consumes a merged stream slowly holds no snapshot")
    func noSnapshotHeld() throws {
        let observer = try fixture.owner()
        var count = 0
        try MergedReplay(fixture.configuration).run(ranges) { _ in
            count += 1
            guard count == 50 else { return }
            try observer.waitForNoSnapshot()
        }
        #expect(count == log.count)
    }

    @Test("A position vector is read as it is written")
    func vector() {
        let vector = PositionVector([
            Partition(0): LogOffset(12), Partition(10): LogOffset(0), Partition(2): LogOffset(7),
        ])
        #expect(vector.description == "0:12,2:7,10:0")
        #expect(PositionVector(vector.description) == vector)
        for wrong in ["", "0", "0:", "0:1,", "0:1,0:2", "-1:2", "0:-2", "a:b"] { #expect(PositionVector(wrong) == nil) }
    }
}
