import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore

@Suite("PlaceReader", .serialized) struct PlaceReaderTests {
    private static let user = UserID(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
    private static let phone = DeviceID(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
    private static let tablet = DeviceID(UUID(uuid: (2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2)))
    private static let partition = Partition.of(user: user, count: StoreFixture.partitions)

    private static func id(_ number: Int) -> EventID {
        EventID(
            UUID(
                uuid: withUnsafeBytes(of: (UInt64(7).bigEndian, UInt64(number).bigEndian)) { $0.load(as: uuid_t.self) })
        )
    }

    private static func event(_ number: Int, _ device: DeviceID, _ sequence: Int, incarnation: Int64 = 1) -> LoggedEvent
    {
        LoggedEvent(
            partition: partition, offset: LogOffset(Int64(number - 1)), user: user, version: Version(Int64(number)),
            device: device, incarnation: Incarnation(incarnation), sequence: DeviceSequence(Int64(sequence)),
            id: id(number), type: EventType.focusRemoved.rawValue, app: nil,
            occurredAt: Timestamp(microseconds: 1_000_000), recordedAt: Timestamp(microseconds: 2_000_000),
            schemaVersion: 1, encoding: LoggedEvent.asSent, payload: [0x0A, 0x01, 0x66])
    }

    /// Logs `count` events of the phone, each followed by `gap` events of the tablet, so that no two of the phone's are
    /// adjacent.
    private static func log(_ count: Int, gap: Int, on connection: PostgresConnection) throws {
        var events: [LoggedEvent] = []
        for number in 0..<count {
            events.append(event(events.count + 1, phone, number + 1))
            for step in 0..<gap { events.append(event(events.count + 1, tablet, number * gap + step + 1)) }
        }
        for start in stride(from: 0, to: events.count, by: 4_000) {
            let some = Array(events[start..<min(start + 4_000, events.count)])
            let append = PartitionAppend(partition: partition, expectedOffset: some[0].offset, events: some)
            #expect(try LogWriter().appendToEnd([append], on: connection)[partition] != .behind)
        }
    }

    private static func load(_ connection: PostgresConnection) throws -> LoadedUser {
        try #require(try UserLoader().load([(partition, user)], on: connection)[user]).get()
    }

    private static func project(_ loaded: LoadedUser, on connection: PostgresConnection) throws {
        let rows = loaded.touchedKeys.map { ProjectedRow($0, loaded.state.row($0)) }
        let batch = ProjectionBatch(
            partition: partition, generation: 1, checkpoint: loaded.head.nextOffset,
            users: [
                ProjectedUser(
                    user: user, version: loaded.state.version, base: loaded.projectedVersion, rows: rows, dueAt: nil)
            ])
        #expect(try ProjectionWriter().write(batch, on: connection).missing == [])
    }

    private static func question(_ state: UserState, _ places: ClosedRange<Int64>) -> PlaceQuestion {
        let places = DeviceSequence(places.lowerBound)...DeviceSequence(places.upperBound)
        return PlaceQuestion(
            user: user, version: state.version, partition: partition, generation: 1, device: phone,
            incarnation: Incarnation(1), places: places,
            known: state.placeRuns(of: phone, incarnation: Incarnation(1), places), anchor: nil)
    }

    private static func expectAll(
        _ found: FoundPlaces, _ places: ClosedRange<Int64>, gap: Int, _ location: SourceLocation = #_sourceLocation
    ) {
        for place in places {
            let number = (Int(place) - 1) * (gap + 1) + 1
            let held = found.event(id(number), at: DeviceSequence(place))
            #expect(held?.outcome == .accepted && held?.isWhole == true, "\(place)", sourceLocation: location)
            #expect(found.event(id(number + 1), at: DeviceSequence(place)) == nil, sourceLocation: location)
        }
    }

    @Test(
        "E1: events are found at their places, by the state alone and by pages of the read model",
        arguments: [0, 3, 17])
    func places(gap: Int) throws {
        let fixture = try StoreFixture()
        let connection = try fixture.connection()
        defer { connection.close() }
        try Self.log(600, gap: gap, on: connection)
        let folded = try Self.load(connection)
        try Self.project(folded, on: connection)
        let loaded = try Self.load(connection)
        #expect(loaded.projectedVersion == folded.state.version)
        for places in [1...1, 1...600, 250...270, 255...257, 512...513, 600...600] as [ClosedRange<Int64>] {
            for state in [folded.state, loaded.state] {
                let question = Self.question(state, places)
                #expect(!question.known.isScanned)
                Self.expectAll(try PlaceReader().read(question, on: connection), places, gap: gap)
            }
        }
        // 600 runs of one event each fill more than two pages; only full pages are written.
        let pages = try connection.integer("SELECT count(*) FROM read_1.place_pages")
        #expect(pages == (gap == 17 ? 2 : 0))
    }

    @Test("E1: a frame costs one look into the pages and one into the events")
    func statements() throws {
        let fixture = try StoreFixture()
        let connection = try fixture.connection()
        defer { connection.close() }
        try Self.log(600, gap: 17, on: connection)
        try Self.project(try Self.load(connection), on: connection)
        let state = try Self.load(connection).state
        _ = try PlaceReader().read(Self.question(state, 1...600), on: connection)
        let before = connection.statementCount
        _ = try PlaceReader().read(Self.question(state, 1...600), on: connection)
        #expect(connection.statementCount - before == 2)
    }

    @Test(
        "E1: a look-up reads the ranges of its runs alone, whatever the planner believes of users",
        arguments: ["force_generic_plan", "force_custom_plan"])
    func readsNoMore(planning: String) throws {
        let fixture = try StoreFixture()
        let owner = try fixture.owner()
        defer { owner.close() }
        try Self.log(600, gap: 17, on: owner)
        // Many users with one event each, so that the planner expects few events for any user.
        try owner.execute(
            """
            INSERT INTO events (
                partition, log_offset, user_id, version, device_id, incarnation, device_seq, event_id, type,
                occurred_at, recorded_at, schema_version, encoding, payload)
            SELECT
                e.partition, 1000000 + n, gen_random_uuid(), 1, gen_random_uuid(), 1, 1, gen_random_uuid(), e.type,
                e.occurred_at, e.recorded_at, 1, 0, ''
            FROM events e, generate_series(1, 20000) AS n WHERE e.version = 1;
            ANALYZE events
            """)
        let runs = Self.question(try Self.load(owner).state, 1...40).known.runs
        func array(_ numbers: [Version]) -> String { "'{\(numbers.map(\.description).joined(separator: ","))}'" }
        let connection = try fixture.connection()
        defer { connection.close() }
        try connection.execute("SET plan_cache_mode = \(planning); PREPARE p AS \(Queries.readPlaces.sql)")
        let values =
            "\(Self.partition.rawValue), '\(Self.user)', \(array(runs.map(\.versions.lowerBound))), "
            + "\(array(runs.map(\.versions.upperBound))), '\(Self.phone)', 1, 1, 40, 1048576"
        let result = try connection.query(
            Statement(name: "explain", sql: "EXPLAIN (ANALYZE, TIMING OFF) EXECUTE p (\(values))"))
        let plan = try (0..<result.rowCount).map { try result.text(row: $0, column: 0) }.joined(separator: "\n")
        let passedOver = plan.matches(of: /Rows Removed by [A-Za-z ]*: (\d+)/).compactMap { Int($0.1) }.reduce(0, +)
        #expect(runs.count == 40 && plan.contains("rows=40 loops=1") && passedOver < 100, "\(plan)")
    }

    @Test("E1: what no page names is looked for in the whole stream, and what a page names must be there")
    func indexIsNotBelieved() throws {
        let fixture = try StoreFixture()
        let connection = try fixture.owner()
        defer { connection.close() }
        try Self.log(600, gap: 17, on: connection)
        try Self.project(try Self.load(connection), on: connection)
        let state = try Self.load(connection).state
        try connection.execute("DELETE FROM read_1.place_pages")
        let found = try PlaceReader().read(Self.question(state, 1...40), on: connection)
        #expect(found.isScanned)
        Self.expectAll(found, 1...40, gap: 17)
        let folded = Self.question(state, 590...600)
        try connection.execute("ALTER TABLE events DISABLE TRIGGER ALL; DELETE FROM events WHERE device_seq = 595")
        #expect(throws: EventStoreError.self) { try PlaceReader().read(folded, on: connection) }
    }

    @Test("E1: payloads past 1 MiB of an answer are left out, and what stands there is known all the same")
    func payloadsAreBounded() throws {
        let fixture = try StoreFixture()
        let connection = try fixture.connection()
        defer { connection.close() }
        var events: [LoggedEvent] = []
        for number in 1...12 {
            var event = Self.event(number, Self.phone, number)
            event.payload = [UInt8](repeating: 0, count: 1 << 17)
            events.append(event)
        }
        let append = PartitionAppend(partition: Self.partition, expectedOffset: .zero, events: events)
        #expect(try LogWriter().appendToEnd([append], on: connection)[Self.partition] != .behind)
        var known = KnownRuns(isScanned: true)
        known.filledAt = .zero
        let question = PlaceQuestion(
            user: Self.user, version: Version(12), partition: Self.partition, generation: 1, device: Self.phone,
            incarnation: Incarnation(1), places: DeviceSequence(1)...DeviceSequence(12), known: known, anchor: nil)
        let found = try PlaceReader().read(question, on: connection)
        let whole = (1...12).map { found.event(Self.id($0), at: DeviceSequence(Int64($0)))?.isWhole }
        #expect(whole == Array(repeating: true, count: 8) + Array(repeating: false, count: 4))
    }
}
