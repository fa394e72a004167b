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
        try MergedReplay(fixture.configuration, filter: filter).run(ranges, render: Self.render) {
            events.append(try event($0))
        }
        return events
    }

    /// The id alone, and twice that of every third event, so that texts have different lengths.
    private static let render: @Sendable (LoggedEvent, inout [UInt8]) -> Void = { event, bytes in
        for _ in 0..<(event.offset.rawValue % 3 == 0 ? 2 : 1) { bytes += event.id.bytes }
    }

    /// The event of the log that was rendered; throws when its text is another's, or cut.
    private func event(_ rendered: RenderedEvent) throws -> LoggedEvent {
        let event = try #require(
            log.first { $0.partition == rendered.partition && $0.offset == rendered.offset })
        var expected: [UInt8] = []
        Self.render(event, &expected)
        try #require(Array(rendered.bytes) == expected)
        return event
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
                try MergedReplay(fixture.configuration).run(
                    ranges, render: Self.render, passed: { places[$0] = $1 }
                ) { rendered in
                    if seen.count == stop { throw Enough() }
                    let event = try event(rendered)
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

    @Test("Whatever the sizes of texts, chunks are cut so that so many bytes are in memory and one event more")
    func bounded() throws {
        let connection = try fixture.connection()
        defer { connection.close() }
        let range = try #require(ranges.max { $0.count < $1.count })
        let source = ReplaySource(ReplayFilter(), targetBytes: 10_000)
        var rest = range
        var seen = 0
        while !rest.offsets.isEmpty {
            let content = RenderedContent { _, bytes in bytes += [UInt8](repeating: 0, count: 1_000) }
            let chunk = try source.chunk(rest, after: nil, into: content, on: connection)
            #expect(chunk.count == min(Int(80_000 / (1_000 + 24)) + 1, rest.count), "eight times what it aims at")
            seen += chunk.count
            rest.offsets = chunk.next..<rest.offsets.upperBound
        }
        #expect(seen == range.count)
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
        try MergedReplay(fixture.configuration).run(ranges, render: Self.render) { _ in
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
