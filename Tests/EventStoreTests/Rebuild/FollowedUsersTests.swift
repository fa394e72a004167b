import FocusCore
import Foundation
import PostgresClient
import SeededNumbers
import Support
import Testing

@testable import EventStore

/// What `FollowedUsers` keeps until the cut-over must equal what reading the users again would find.
@Suite("Followed users") struct FollowedUsersTests {
    private let fixture: RebuildFixture
    private let partition = RandomHistory.partition
    private var history: RandomHistory

    /// A correct generation 2, and a generation 1 with wrong, missing and extra rows, some public and some internal.
    init() throws {
        fixture = try RebuildFixture()
        history = fixture.history
        _ = try fixture.rebuilder().rebuild()
        let users = history.users
        let rows = { (table: String, user: Int) in "read_1.\(table) WHERE user_id = '\(users[user])'" }
        for change in [
            "UPDATE read_1.authorizations SET value = '\\x0801' WHERE ctid IN (SELECT ctid FROM \(rows("authorizations", 0)))",
            "UPDATE read_1.badges SET version = version + 2 WHERE ctid IN (SELECT ctid FROM \(rows("badges", 1)))",
            "UPDATE read_1.devices SET memo = memo || '\\x1000' WHERE ctid IN (SELECT ctid FROM \(rows("devices", 2)))",
            "DELETE FROM \(rows("authorizations", 3))",
            "DELETE FROM read_1.apps WHERE ctid IN (SELECT ctid FROM \(rows("apps", 4)) LIMIT 1)",
        ] { try fixture.owner.execute(change) }
    }

    private func comparison(isSameFold: Bool = true) -> UserComparison {
        UserComparison(target: Generation(2), shown: Generation(1), rules: .current, isSameFold: isSameFold)
    }

    private func compared(_ comparison: UserComparison) throws -> [ComparedUser] {
        try fixture.owner.transaction(.snapshot) {
            try comparison.compare(history.users.sorted(), in: partition, on: $0)
        }
    }

    /// Logs `count` events, of random users or of `user`, without projecting them.
    private mutating func grow(_ count: Int, _ user: UserID? = nil) throws -> Range<LogOffset> {
        let from = history.events.count
        var random = SplitMix64(seed: UInt64(from))
        for _ in 0..<count { try history.append(user ?? history.users.randomElement(using: &random)!, nil, nil) }
        let (begin, end) = (LogOffset(Int64(from)), LogOffset(Int64(history.events.count)))
        _ = try LogWriter().appendToEnd(
            [PartitionAppend(partition: partition, expectedOffset: begin, events: Array(history.events[from...]))],
            on: fixture.connection)
        return begin..<end
    }

    @Test("S8: whoever follows the log differs in the same rows as when they are read again", arguments: [true, false])
    mutating func follows(isSameFold: Bool) throws {
        let comparison = comparison(isSameFold: isSameFold)
        var followed = FollowedUsers()
        for user in try compared(comparison) { followed.keep(user) }
        #expect(followed.told.map(\.user).count == 4)
        for round in 1...12 {
            let range = try grow(round * 2)
            let (users, others) = try followed.readTail(of: partition, in: range, on: fixture.owner)
            #expect(users == Set(history.events.suffix(round * 2).map(\.user)) && others == [])
            let again = try compared(comparison)
            let told = again.filter { !$0.change.isEmpty }.map(\.notice)
            #expect(followed.told.map(\.user) == told.map(\.user))
            let head = try #require(try LogReader().heads(of: [partition], on: fixture.owner).first)
            for (kept, read) in zip(followed.told, told) {
                #expect(kept.change.rows == read.change.rows && kept.change.horizon == read.change.horizon)
                let events = [kept, read].map { notice in
                    notice.events(Generation(2), in: partition, at: head.nextOffset, head.lastRecordedAt).map {
                        [$0.version.rawValue, $0.sequence.rawValue, $0.offset.rawValue]
                    }
                }
                #expect(events[0] == events[1] && !events[0].isEmpty)
            }
            let different = Set(again.filter { !$0.change.isIdentical }.map(\.user))
            #expect(followed.different(Set(history.users)) == different)
            if isSameFold { #expect(different == Set(history.users.prefix(5))) }
            // The rows that the new generation lacks are the same, whether the user was followed or read again.
            let lacking = followed.projected(Set(history.users))
            #expect(lacking.map(\.user) == again.compactMap(\.projected).map(\.user))
            for (kept, read) in zip(lacking, again.compactMap(\.projected)) {
                #expect(kept.version == read.version && kept.base == read.base && kept.dueAt == read.dueAt)
                #expect(Set(kept.rows.map(\.key)) == Set(read.rows.map(\.key)))
            }
        }
    }

    @Test("Rows that are the same in what is seen may differ in what is not: nothing is told, and it is not forgotten")
    func unseen() throws {
        let user = try #require(try compared(comparison()).first { $0.user == history.users[2] })
        #expect(user.change.isEmpty && !user.change.isIdentical)
        #expect(user.notice.events(Generation(2), in: partition, at: .zero, .init(microseconds: 0)).isEmpty)
    }

    @Test("Bounded: who has no room is compared again when they append, and named when they differ")
    mutating func bounds() throws {
        let users = try compared(comparison())
        let rows = users.prefix(2).reduce(0) { $0 + $1.rowCount }
        // One more event for each of the two users still fits; a third user does not.
        let room = rows + 20
        try #require(users[2].rowCount > 20)
        var followed = FollowedUsers(rowLimit: room, keyLimit: 1)
        for user in users { followed.keep(user) }
        let differing = Set(users.filter { !$0.change.isEmpty }.map(\.user))
        let whole = Set(users.prefix(2).map(\.user))
        #expect(Set(followed.told.map(\.user)).union(followed.unkept) == differing)
        #expect(!followed.unkept.isEmpty)
        for user in history.users {
            let (follows, others) = try followed.readTail(of: partition, in: grow(1, user), on: fixture.owner)
            #expect(follows == (whole.contains(user) ? [user] : []))
            #expect(others == (whole.contains(user) ? [] : [user]))
            #expect(!followed.unkept.contains(user))
        }
    }

    @Test("Bounded: who grows past the room while they follow is compared again, and takes no room any more")
    mutating func growth() throws {
        let user = history.users[5]
        let compared = try #require(try compared(comparison()).first { $0.user == user })
        var followed = FollowedUsers(rowLimit: compared.rowCount)
        followed.keep(compared)
        var rounds = 0
        while try followed.readTail(of: partition, in: grow(1, user), on: fixture.owner).users == [user] {
            rounds += 1
            try #require(rounds < 200)
        }
        #expect(followed.projected([user]).isEmpty)
        #expect(try followed.readTail(of: partition, in: grow(1, user), on: fixture.owner).others == [user])
    }

    @Test("Bounded: a long tail is not read, and everybody in it is compared again")
    mutating func longTail() throws {
        var followed = FollowedUsers()
        for user in try compared(comparison()) { followed.keep(user) }
        let user = history.users[0]
        let tail = try grow(PartitionFollow.tailLimit, user)
        #expect(try followed.readTail(of: partition, in: tail, on: fixture.owner).users == [user])
        let longer = try grow(PartitionFollow.tailLimit + 1, user)
        #expect(try followed.readTail(of: partition, in: longer, on: fixture.owner).others == [user])
        #expect(followed.projected([user]).isEmpty)
    }
}
