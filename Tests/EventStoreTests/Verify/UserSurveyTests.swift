import FocusCore
import Foundation
import PostgresClient
import SeededNumbers
import Support
import Testing

@testable import EventStore

@Suite("UserSurvey and StatusReader") struct UserSurveyTests {
    private let connection: PostgresConnection
    private let owner: PostgresConnection
    private let users: [UserID]

    /// 25 users in two partitions; the last one is in the read model only.
    init() throws {
        let fixture = try StoreFixture()
        (connection, owner) = (try fixture.connection(), try fixture.owner())
        var random = SplitMix64(seed: 3)
        let users = (0..<25).map { _ in UserID(random.uuid()) }
        for partition in [Partition(0), Partition(2)] {
            var events: [LoggedEvent] = []
            for version in 1...3 as ClosedRange<Int64> {
                for user in users.dropLast() {
                    events.append(
                        .any(user: user, version: version, partition: partition, offset: Int64(events.count)))
                }
            }
            let append = PartitionAppend(partition: partition, expectedOffset: .zero, events: events)
            _ = try LogWriter().appendToEnd([append], on: connection)
        }
        try owner.execute("INSERT INTO read_1.users VALUES (0, '\(users[24])', 1), (2, '\(users[3])', 1)")
        self.users = users
    }

    private func heads() throws -> [PartitionHead] {
        try LogReader().heads(of: (0..<4).map { Partition($0) }, on: connection)
    }

    @Test("Every user is met once, in order, whatever the page", arguments: [1, 4, 5, 24, 25, 500])
    func everyUser(page: Int) throws {
        var met: [Partition: [UserID]] = [:]
        try UserSurvey(page: page).forEach(heads(), on: connection) { met[$0, default: []].append($1) }
        #expect(met == [Partition(0): users.sorted(), Partition(2): users.dropLast().sorted()])
    }

    @Test("A sample is the same for the same seed, another for another, and never more than there are")
    func sample() throws {
        let survey = UserSurvey(page: 7)
        func sample(_ count: Int, _ seed: UInt64) throws -> [UserID] {
            try survey.sample(count, seed: seed, of: heads().filter { $0.partition == Partition(0) }, on: connection)
                .map(\.1)
        }
        #expect(try sample(6, 1) == sample(6, 1) && Set(try sample(6, 1)).count == 6)
        #expect(try sample(6, 1) != sample(6, 2))
        #expect(try Set(sample(99, 1)) == Set(users))
        #expect(try sample(0, 1).isEmpty)
        // Over many seeds every user is sampled.
        #expect(try Set((0..<60).flatMap { try sample(3, $0) }) == Set(users))
    }

    @Test("The status says how far each partition lags, in events and time, and what each table holds")
    func status() throws {
        try owner.execute("UPDATE read_1.checkpoints SET log_offset = 72 WHERE partition = 2")
        let status = try StatusReader().read(LogIdentity.read(on: connection), counting: true, on: connection)
        #expect(status.partitions.map(\.partition) == (0..<4).map { Partition($0) })
        #expect(status.partitions.map(\.lagEvents) == [72, 0, 0, 0])
        #expect(status.partitions.map(\.head) == [72, 0, 72, 0].map { LogOffset($0) })
        // The fixture's events are recorded one second after 1970.
        #expect((status.partitions[0].lagMicroseconds ?? 0) > 1_700_000_000_000_000)
        #expect(status.partitions[1...].allSatisfy { $0.lagMicroseconds == nil })
        #expect(status.partitions.allSatisfy { $0.generation == 1 && $0.foldVersion == FocusCore.foldVersion })
        let tables = Dictionary(uniqueKeysWithValues: status.tables.map { ($0.table, $0) })
        #expect(
            Set(RowCollection.allCases.map(\.rawValue)).union(["users", "checkpoints", "laggards"]) == Set(tables.keys))
        #expect(tables["users"]?.rows == 2 && tables["checkpoints"]?.rows == 4 && tables["apps"]?.rows == 0)
        #expect(tables.values.allSatisfy { $0.bytes > 0 })
        let estimated = try StatusReader().read(LogIdentity.read(on: connection), counting: false, on: connection)
        #expect(estimated.tables.map(\.table) == status.tables.map(\.table))
    }
}
