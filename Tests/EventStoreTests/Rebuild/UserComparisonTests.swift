import FocusCore
import Foundation
import PostgresClient
import Testing

@testable import EventStore

@Suite("Comparison of generations") struct UserComparisonTests {
    private let fixture: RebuildFixture
    private let comparison = UserComparison(
        target: Generation(2), shown: Generation(1), rules: .current, isSameFold: true)

    init() throws {
        fixture = try RebuildFixture()
        _ = try fixture.rebuilder().rebuild()
    }

    private func alike(after first: UserID = .beforeAll, through last: UserID? = nil) throws -> Set<UserID> {
        let end = try #require(last ?? fixture.history.users.max())
        return try comparison.alike(after: first, through: end, in: RandomHistory.partition, on: fixture.owner)
    }

    /// The users who differ after a change of the tables; the change is rolled back.
    private func different(after change: String) throws -> Set<UserID> {
        try fixture.owner.execute("BEGIN")
        defer { try? fixture.owner.execute("ROLLBACK") }
        try fixture.owner.execute(change)
        return Set(fixture.history.users).subtracting(try alike())
    }

    @Test("After a rebuild by the same fold everybody is alike; a range has those after its first through its last")
    func everybody() throws {
        let users = fixture.history.users.sorted()
        #expect(try alike() == Set(users))
        #expect(try alike(after: users[2], through: users[5]) == Set(users[3...5]))
        #expect(try alike(after: users[5], through: users[5]) == [])
    }

    @Test("Whoever has a row otherwise in what counts is not alike: version, removal, value, memo, key, app")
    func columns() throws {
        let user = fixture.history.users[3]
        let changes = [
            "version = version + 1", "deleted = NOT deleted", "value = value || '\\x00'", "memo = memo || '\\x00'",
            "key_bytes = 'other'", "key = 'other'", "app = 'com.example.other'",
        ]
        for (generation, table) in [(1, "notifications"), (2, "badges"), (1, "stream"), (2, "devices")] {
            for change in changes {
                let row = "SELECT ctid FROM read_\(generation).\(table) WHERE user_id = '\(user)' LIMIT 1"
                let found = try different(
                    after: "UPDATE read_\(generation).\(table) SET \(change) WHERE ctid = ANY (ARRAY(\(row)))")
                #expect(found == [user], "\(table): \(change)")
            }
        }
    }

    @Test("Every collection is compared, in both directions: whoever has a row more or less is not alike")
    func collections() throws {
        let user = fixture.history.users[4]
        for collection in RowCollection.allCases {
            // Columns for people that may not be NULL.
            let (name, value) =
                switch collection {
                case .routes: (", finished", ", true")
                case .routePoints: (", route", ", 'stranger'")
                default: ("", "")
                }
            for generation in 1...2 {
                let found = try different(
                    after: """
                        INSERT INTO read_\(generation).\(collection.rawValue)
                            (partition, user_id, app, key, version, deleted, value, memo\(name))
                        VALUES (\(RandomHistory.partition), '\(user)', '', 'stranger', 1, true, '', ''\(value))
                        """)
                #expect(found == [user], "\(collection.rawValue) of \(generation)")
            }
        }
    }

    @Test("Whoever is shown at another version, or has events past it, is not alike")
    func versions() throws {
        let user = fixture.history.users[5]
        let place = "WHERE user_id = '\(user)'"
        #expect(try different(after: "UPDATE read_1.users SET version = version - 1 \(place)") == [user])
        #expect(try different(after: "UPDATE read_2.users SET version = version - 1 \(place)") == [user])
        let both = "UPDATE read_1.users SET version = version - 1 \(place); "
        #expect(try different(after: both + "UPDATE read_2.users SET version = version - 1 \(place)") == [user])
    }
}
