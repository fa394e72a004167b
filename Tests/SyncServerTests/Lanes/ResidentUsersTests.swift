import FocusCore
import Foundation
import SeededNumbers
import Support
import Testing

@testable import SyncServer

/// Which users are in memory, by a clock that the test gives as a number.
@Suite struct ResidentUsersTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    /// - Parameter dirty: how many of the user's rows are dirty.
    private func user(dirty: Int = 0) -> CachedUser {
        let id = UserID.random()
        return CachedUser(
            id: id, partition: Partition.of(user: id, count: 16), generation: 1, state: UserState(user: id),
            dirty: Set((0..<dirty).map { RowKey(.focuses, key: "\($0)") }), projectedVersion: .zero, lastUsed: 0)
    }

    @Test("A user awaits loading until they are in memory, and again when they left")
    func loading() {
        var users = ResidentUsers(limit: .max)
        let (anna, ben) = (user(), user())
        #expect(users.awaitingLoad([ben.id, anna.id]) == [anna.id, ben.id].sorted())
        users.insert(anna)
        #expect(users.awaitingLoad([anna.id, ben.id]) == [ben.id] && users[anna.id] === anna)
        users.remove(anna.id)
        #expect(users[anna.id] == nil && users.count == 0)
        #expect(users.isAwaitingLoad(anna.id))
    }

    @Test("A quarantined user is neither in memory nor loaded before the time is over")
    func quarantine() {
        var users = ResidentUsers(limit: .max)
        let anna = user()
        users.insert(anna)
        users.quarantine(anna.id, until: at(1_000))
        #expect(users[anna.id] == nil && users.isQuarantined(anna.id) && !users.isAwaitingLoad(anna.id))
        #expect(users.hasFailed(anna.id))
        #expect(users.quarantineRest(of: anna.id, now: at(400)) == 600)
        #expect(users.quarantineRest(of: anna.id, now: at(1_400)) == 0)
        #expect(users.endQuarantines(now: at(999)).isEmpty && users.isQuarantined(anna.id))
        #expect(users.endQuarantines(now: at(1_000)) == [anna.id] && users.isAwaitingLoad(anna.id))
        #expect(users.hasFailed(anna.id), "nobody has loaded them since")
        users.insert(anna)
        #expect(!users.hasFailed(anna.id))
        users.quarantine(anna.id, until: at(5_000))
        #expect(users.endQuarantines { $0 != anna.id }.isEmpty)
        #expect(users.isQuarantined(anna.id))
        #expect(users.endQuarantines { $0 == anna.id } == [anna.id])
        #expect(!users.isQuarantined(anna.id) && users.quarantineRest(of: anna.id, now: at(2_000)) == 0)
    }

    private func resident(_ some: [CachedUser], limit: Int) -> ResidentUsers {
        var users = ResidentUsers(limit: limit)
        for user in some { users.insert(user) }
        return users
    }

    private func bytes(_ some: [CachedUser]) -> Int { some.reduce(0) { $0 + $1.approximateBytes } }

    @Test("Past the bound users leave until a quarter is free, in the order in which they came; at it nobody does")
    func eviction() {
        let some = (0..<8).map { _ in user() }
        var atBound = resident(some, limit: bytes(some))
        #expect(atBound.evict().isEmpty && atBound.count == 8)
        var users = resident(some, limit: bytes(some) - 1)
        #expect(users.evict().map(\.id) == some.prefix(3).map(\.id))
        #expect(users.bytes == bytes(Array(some[3...])) && users.count == 5)
        #expect(users.evict().isEmpty)
    }

    @Test("Who was used since eviction last looked at them, or is to be kept, stays until it comes by again")
    func used() {
        let some = (0..<8).map { _ in user() }
        let one = some[0].approximateBytes
        var users = resident(some, limit: bytes(some) - 1)
        some[0].lastUsed = 5
        #expect(users.evict { $0 === some[1] }.map(\.id) == some[2...4].map(\.id))
        // Two for each of two who have to leave: three that came before, and then those who stayed.
        for _ in 0..<3 { users.insert(user()) }
        #expect(users.evict { $0 === some[1] }.map(\.id) == some[5...7].map(\.id))
        for _ in 0..<3 { users.insert(user()) }
        #expect(users.evict().prefix(2).map(\.id) == [some[0].id, some[1].id])
        #expect(users.bytes <= 6 * one)
    }

    @Test("A call looks at some users, however many there are; where all are in use, none leaves")
    func bounded() {
        let some = (0..<1_000).map { _ in user() }
        var users = resident(some, limit: 1_000)
        // Two for each who came.
        #expect(users.evict().count == 1_000)
        users = resident(some, limit: bytes(some) - 1)
        #expect(users.evict { _ in true }.isEmpty)
        let evicted = users.evict().count
        #expect(evicted > 0 && evicted < 100)
        var calls = 1
        while !users.evict().isEmpty { calls += 1 }
        #expect(users.count == 749 && calls == 250 / evicted + 1)
    }

    @Test("However often a user has come, eviction looks at them as at others")
    func comesOften() {
        let some = (0..<8).map { _ in user() }
        var users = resident(some, limit: bytes(some))
        for _ in 0..<1_000 {
            users.remove(some[0].id)
            users.insert(some[0])
            #expect(users.evict().isEmpty)
        }
        users.insert(user())
        #expect(users.evict().map(\.id) == some[1...3].map(\.id))
    }

    @Test("Beside what others take there is less room")
    func beside() {
        let some = (0..<8).map { _ in user() }
        var users = resident(some, limit: 2 * bytes(some))
        #expect(users.evict(beside: bytes(some)).isEmpty)
        #expect(!users.evict(beside: bytes(some) + 1).isEmpty)
    }

    @Test("A user who alone takes more than a quarter of the bound leaves first, and drives nobody out")
    func large() {
        let some = (0..<8).map { _ in user() }
        let limit = 2 * bytes(some)
        var users = resident(some, limit: limit)
        let large = user(dirty: limit / DirtyRows.bytesPerKey)
        users.insert(large)
        #expect(users.evict().map(\.id) == [large.id])
        #expect(users.count == 8)
        // One who became large is another.
        some[3].dirty = large.dirty
        users.recount(some[3])
        #expect(users.evict().map(\.id) == [some[3].id])
    }

    @Test(
        "The bytes are those of the users in memory, whoever came, grew, shrank, left or came again",
        arguments: Seeds.fresh())
    func counts(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var users = ResidentUsers(limit: 20_000)
        var known = (0..<30).map { _ in user() }
        for step in 0..<2_000 {
            let index = Int.random(in: 0..<known.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: users.insert(known[index])
            case 1: users.remove(known[index].id)
            case 2:
                let other = known[index]
                known[index] = CachedUser(
                    id: other.id, partition: other.partition, generation: 1, state: UserState(user: other.id),
                    dirty: [], projectedVersion: .zero, lastUsed: Int64(step))
                users.insert(known[index])
            case 3: users.quarantine(known[index].id, until: at(Int64(step)))
            case 4: _ = users.evict { _ in Bool.random(using: &random) }
            default:
                let count = Int.random(in: 0...50, using: &random)
                known[index].dirty = DirtyRows((0..<count).map { RowKey(.focuses, key: "\($0)") })
                known[index].lastUsed = Int64(step)
                users.recount(known[index])
            }
            #expect(users.bytes == bytes(users.all), "seed \(seed)")
        }
    }
}
