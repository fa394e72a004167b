import FocusCore
import Foundation
import PostgresClient
import Testing

@testable import EventStore

@Suite("COPY of rows") struct FilledRowsTests {
    /// Writes the rows by INSERT into generation 1 and by COPY into generation 2, and compares the tables.
    private func expectAlike(_ table: RowTable, _ fixture: RebuildFixture) throws {
        let partition = RandomHistory.partition
        let (collection, name) = (table.collection, table.collection.rawValue)
        _ = try fixture.connection.query(collection.statements.insert, table.parameters(partition))
        let copied = try fixture.connection.copyIn(Generation(2).statement(collection.statements.copy)) { writer in
            try writer.rows(table.count, table.copyColumns(partition))
        }
        #expect(copied == table.count)
        let differences = try fixture.owner.integer(
            """
            SELECT (SELECT count(*) FROM (TABLE read_1.\(name) EXCEPT TABLE read_2.\(name)) a)
                + (SELECT count(*) FROM (TABLE read_2.\(name) EXCEPT TABLE read_1.\(name)) b)
            """)
        #expect(differences == 0, "\(name)")
    }

    private func fixture() throws -> RebuildFixture {
        let fixture = try RebuildFixture(seed: 8, users: 30, events: 3_000, projected: false)
        try fixture.owner.execute("SELECT create_generation(2, \(FocusCore.foldVersion))")
        return fixture
    }

    @Test("COPY puts in every collection's rows as INSERT does: bytes, and columns for people, cast or NULL")
    func alike() throws {
        let fixture = try fixture()
        var tables: [RowCollection: RowTable] = [:]
        for user in fixture.history.users {
            let state = fixture.history.last(of: user)
            for key in state.rowKeys {
                guard let row = state.row(key) else { continue }
                tables[key.collection, default: RowTable(key.collection)].append(user, key, row)
            }
        }
        let user = UserID(UUID())
        for collection in RowCollection.allCases {
            var table = tables[collection] ?? RowTable(collection)
            // A key that no index can hold, a tombstone, and a value that this program cannot read.
            let app = AppID("com.example.odd")
            table.append(user, RowKey(collection, key: "\u{0}null"), Row(version: Version(3), value: [], memo: [1]))
            table.append(
                user, RowKey(collection, app: app, key: String(repeating: "k", count: 3_000)),
                Row(version: Version(2), isDeleted: true, value: []))
            table.append(user, RowKey(collection, app: app, key: "odd"), Row(version: Version(1), value: [0xFF]))
            try expectAlike(table, fixture)
        }
    }

    @Test("COPY casts as PostgreSQL does: words, times, dates, JSON, UUIDs")
    func casts() throws {
        let fixture = try fixture()
        var schedules = RowTable(.deliverySchedule)
        for times in [[], [0], [8 * 60, 18 * 60 + 5, 1_439]] as [Set<Int32>] {
            schedules.append(
                UserID(UUID()), RowKey(.deliverySchedule),
                Row(
                    version: Version(1),
                    value: DeliveryScheduleRow(times: times, timeZone: "Europe/Berlin").encoded))
        }
        try expectAlike(schedules, fixture)
        #expect(
            try fixture.owner.integer(
                "SELECT count(*) FROM read_2.delivery_schedule WHERE times = '{08:00,18:05,23:59}'::time[]") == 1)
        var totals = RowTable(.routeTotals)
        for (index, day) in [-719_162, -1, 0, 10_957, 20_000, 2_932_896, 9_000_000].enumerated() {
            totals.append(
                UserID(UUID()), RowKey(.routeTotals, key: "t\(index)"),
                Row(
                    version: Version(1),
                    value: RouteTotalRow(
                        activity: "running", period: .month, startsOn: CivilDate(daysSince1970: Int64(day))
                    ).encoded))
        }
        try expectAlike(totals, fixture)
    }
}
