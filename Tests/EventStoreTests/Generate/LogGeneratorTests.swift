import FocusCore
import Foundation
import PostgresClient
import Testing

@testable import EventStore

@Suite("LogGenerator")
struct LogGeneratorTests {
    private static let plan = LogPlan(events: 6_000, users: 25, seed: 42)

    private func generate(
        _ plan: LogPlan = plan, into fixture: StoreFixture, threads: Int = 2, appends: Bool = false
    ) throws {
        try LogGenerator(plan, into: fixture.configuration).run(threads: threads, appends: appends)
    }

    private func events(_ fixture: StoreFixture) throws -> [LoggedEvent] {
        let connection = try fixture.connection()
        defer { connection.close() }
        let heads = try LogReader().heads(
            of: (0..<StoreFixture.partitions).map { Partition($0) }, on: connection)
        var events: [LoggedEvent] = []
        try LogReplay(fixture.configuration).run(
            heads.map { PartitionRange(partition: $0.partition, offsets: .zero..<$0.nextOffset) }
        ) { events.append($0) }
        return events
    }

    @Test("The same plan makes the same log, bit for bit, however many threads write it; another seed another log")
    func deterministic() throws {
        let fixtures = try [StoreFixture(), StoreFixture(), StoreFixture()]
        try generate(into: fixtures[0], threads: 1)
        try generate(into: fixtures[1], threads: 3)
        var other = Self.plan
        other.seed = 43
        try generate(other, into: fixtures[2])
        let logs = try fixtures.map(events)
        #expect(logs[0].count == Self.plan.events)
        #expect(logs[0] == logs[1])
        #expect(Set(logs[0].map(\.id)).isDisjoint(with: logs[2].map(\.id)))
    }

    @Test("E1, E2: every event is where a server would have logged it: judged, folded, in its device's sequence")
    func asLogged() throws {
        let fixture = try StoreFixture()
        try generate(into: fixture)
        var states: [UserID: UserState] = [:]
        var (refused, recorded) = (0, [Partition: Timestamp]())
        for logged in try events(fixture) {
            let event = try logged.decoded()
            let state = states[logged.user] ?? UserState(user: logged.user)
            #expect(
                state.check(
                    device: event.device, incarnation: event.incarnation, sequence: event.sequence)
                    == .next)
            if case .eventRefused = event.body {
                refused += 1
            } else {
                let scope = Scope.system
                #expect(state.validate(event, scope: scope) == nil, "\(logged.type) at \(logged.offset)")
            }
            #expect(recorded[logged.partition].map { $0 <= logged.recordedAt } ?? true)
            recorded[logged.partition] = logged.recordedAt
            #expect(event.occurredAt <= event.recordedAt)
            states[logged.user] = nil
            var next = state
            _ = try next.apply(event)
            states[logged.user] = next
        }
        #expect(refused > 0, "a log without refusals is not realistic")
        #expect(refused < Self.plan.events / 20)
    }

    @Test("Its days are like days: busier by day than by night, in bursts, late at times, on several devices, by Zipf")
    func realistic() throws {
        let fixture = try StoreFixture()
        try generate(into: fixture)
        let events = try events(fixture)
        let types = Set(events.map(\.type))
        for type in [EventType.notificationPosted, .focusChanged, .focusExpired, .interactionDonated, .badgeCleared] {
            #expect(types.contains(type.rawValue))
        }
        let counts = Dictionary(grouping: events, by: \.user).mapValues(\.count).values.sorted(by: >)
        #expect(counts.count == Self.plan.users)
        #expect((18...22).contains(counts[0] * 10 / counts[1]), "the second has half of what the first has")
        #expect(Set(events.map(\.device)).count > Self.plan.users * 3 / 2)
        let late = events.filter { $0.recordedAt > $0.occurredAt.adding(microseconds: 60_000_000) }
        #expect((events.count / 100...events.count / 5).contains(late.count))
        let span = Int64(Self.plan.days) * 24 * WeekRhythm.hourMicroseconds
        #expect(events.allSatisfy { $0.recordedAt <= Self.plan.start.adding(microseconds: span) })
    }

    @Test("A week has weight by day: the rhythm puts more between eight and eighteen than in the ten hours of night")
    func rhythm() {
        let rhythm = WeekRhythm(start: Self.plan.start, days: 28, utcOffsetHours: 0)
        let hours = (0..<10_000).map {
            LocalHour(rhythm.moment(at: Double($0) / 10_000), utcOffsetHours: 0).hour
        }
        #expect(hours.count { (8..<18).contains($0) } > 3 * hours.count { $0 >= 21 || $0 < 7 })
        let moments = (0..<1_000).map { rhythm.moment(at: Double($0) / 1_000) }
        #expect(moments == moments.sorted())
    }

    @Test("A log that holds anything is refused, unless it is to be added to, with users and times that are new")
    func notEmpty() throws {
        let fixture = try StoreFixture()
        try generate(into: fixture)
        #expect(throws: LogGeneratorError.notEmpty) { try generate(into: fixture) }
        #expect(throws: LogGeneratorError.self) { try generate(into: fixture, appends: true) }
        var later = Self.plan
        later.start = later.start.adding(microseconds: Int64(later.days) * 24 * WeekRhythm.hourMicroseconds)
        #expect(throws: LogGeneratorError.self, "the users are known") {
            try generate(later, into: fixture, appends: true)
        }
        later.seed = 77
        try generate(later, into: fixture, appends: true)
        #expect(try events(fixture).count == 2 * Self.plan.events)
    }
}
