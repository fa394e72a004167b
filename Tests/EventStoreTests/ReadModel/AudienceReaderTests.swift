import FocusCore
import Foundation
import PostgresClient
import Testing

@testable import EventStore

/// Rule F5: whether somebody may be in an audience is asked by key.
@Suite struct AudienceReaderTests {
    private let connection: PostgresConnection
    private let fixture: StoreFixture
    private let friend = UserID(UUID())
    private let left = UserID(UUID())
    private let mail = AppID("com.example.mail")!
    private let run = AppID("com.example.run")!

    init() throws {
        fixture = try StoreFixture()
        connection = try fixture.connection()
    }

    private func entry(_ user: UserID, _ viewer: UserID, _ app: AppID?) -> AudienceEntry {
        AudienceEntry(partition: RandomHistory.partition, user: user, viewer: viewer, app: app)
    }

    private func possible(_ entries: [AudienceEntry]) throws -> Set<AudienceEntry> {
        let found = try AudienceReader().find(entries, generation: 1, on: connection)
        #expect(found.heads == Set(try LogReader().heads(of: [RandomHistory.partition], on: connection)))
        return found.possible
    }

    @Test("F5: the read model says who is in an audience, app by app; of a user whom it lacks events of, anybody may be")
    func possible() throws {
        let history = try RandomHistory([
            (mail, .audienceChanged(AudienceChanged(add: [friend, left], remove: []))),
            (mail, .audienceChanged(AudienceChanged(add: [], remove: [left]))),
        ])
        let user = history.users[0]
        try history.log(on: connection)
        let all = [friend, left, UserID(UUID())].flatMap { viewer in
            [mail, run, nil].map { entry(user, viewer, $0) }
        }
        #expect(try possible(all) == Set(all), "nothing of the user is in the read model yet")
        try history.project([user], on: connection)
        #expect(try possible(all) == [entry(user, friend, mail), entry(user, friend, nil)])
    }

    @Test("F5: a user of whom the log has nothing has no audience")
    func nobody() throws {
        #expect(try possible([entry(UserID(UUID()), friend, mail)]).isEmpty)
    }

    @Test("A generation that was dropped is said to be so, and partitions that are not there are possible for nobody")
    func absent() throws {
        let user = UserID(UUID())
        #expect {
            try AudienceReader().find([entry(user, friend, nil)], generation: 7, on: connection)
        } throws: { ($0 as? PostgresError)?.isUndefinedTable == true }
        let elsewhere = AudienceEntry(partition: Partition(999), user: user, viewer: friend, app: nil)
        let found = try AudienceReader().find([elsewhere], generation: 1, on: connection)
        #expect(found.possible.isEmpty && found.heads.isEmpty)
    }
}
