import FocusCore
import Foundation
import Support
import Testing

@testable import SyncServer

/// Which users are in memory, by a clock that the test gives as a number.
@Suite struct ResidentUsersTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    /// - Parameter dirty: how many of the user's rows are dirty: each counts as 100 bytes.
    private func user(lastUsed: Int64 = 0, dirty: Int = 0) -> CachedUser {
        let id = UserID.random()
        return CachedUser(
            id: id, partition: Partition.of(user: id, count: 16), generation: 1, state: UserState(user: id),
            dirty: Set((0..<dirty).map { RowKey(.focuses, key: "\($0)") }), projectedVersion: .zero, lastUsed: lastUsed)
    }

    @Test("A user awaits loading until they are in memory, and again when they left")
    func loading() {
        var users = ResidentUsers()
        let (anna, ben) = (user(), user())
        #expect(users.awaitingLoad([ben.id, anna.id]) == [anna.id, ben.id].sorted())
        users.insert(anna)
        #expect(users.awaitingLoad([anna.id, ben.id]) == [ben.id] && users[anna.id] === anna)
        #expect(users.remove(anna.id) === anna && users.remove(anna.id) == nil)
        #expect(users.isAwaitingLoad(anna.id))
    }

    @Test("A quarantined user is neither in memory nor loaded before the time is over")
    func quarantine() {
        var users = ResidentUsers()
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

    @Test("Past the bound the least recently used leave until a quarter is free; at the bound nobody does")
    func eviction() {
        var users = ResidentUsers()
        let some = (0..<8).map { user(lastUsed: Int64(7 - $0)) }
        for user in some { users.insert(user) }
        let bytes = users.bytes
        #expect(users.evict(past: bytes, now: at(0), every: 500).isEmpty)
        // Memory is not held against its bound again so soon.
        #expect(users.evict(past: bytes - 1, now: at(499), every: 500).isEmpty)
        let evicted = users.evict(past: bytes - 1, now: at(500), every: 500)
        #expect(evicted.map(\.id) == [some[7].id, some[6].id, some[5].id].prefix(evicted.count).map { $0 })
        #expect(evicted.count == 3 && users.bytes <= (bytes - 1) * 3 / 4)
        #expect(users.all.count == 5 && users[some[0].id] === some[0])
    }

    @Test("Where half of the bound is free, memory is held against it a quarter as often")
    func rarely() {
        var users = ResidentUsers()
        for number in 0..<8 { users.insert(user(lastUsed: Int64(number))) }
        let bytes = users.bytes
        #expect(users.evict(past: 2 * bytes, now: at(0), every: 500).isEmpty)
        #expect(users.evict(past: bytes / 2, now: at(1_999), every: 500).isEmpty)
        #expect(!users.evict(past: bytes / 2, now: at(2_000), every: 500).isEmpty)
    }

    @Test("Users who come in large numbers are held against the bound at once")
    func arrivals() {
        var users = ResidentUsers()
        for number in 0..<8 { users.insert(user(lastUsed: Int64(number))) }
        let bytes = users.bytes
        #expect(users.evict(past: bytes, now: at(0), every: 500).isEmpty)
        // An eighth of the bound may come before the next check, and not more.
        users.insert(user(lastUsed: 8))
        #expect(users.evict(past: bytes, now: at(1), every: 500).isEmpty)
        users.insert(user(lastUsed: 9))
        #expect(!users.evict(past: bytes, now: at(1), every: 500).isEmpty && users.bytes <= bytes)
    }

    @Test("A user who alone takes more than a quarter of the bound leaves first, and drives nobody out")
    func large() {
        var users = ResidentUsers()
        let some = (0..<8).map { user(lastUsed: Int64($0)) }
        for user in some { users.insert(user) }
        let limit = 2 * users.bytes
        let large = user(lastUsed: 99, dirty: limit / 100)
        users.insert(large)
        #expect(users.evict(past: limit, now: at(0), every: 500).map(\.id) == [large.id])
        #expect(users.all.count == 8)
    }
}
