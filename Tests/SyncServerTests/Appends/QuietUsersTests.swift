import FocusCore
import Support
import Testing

@testable import SyncServer

/// For whom bulk makes room.
@Suite struct QuietUsersTests {
    private var quiet = QuietUsers()
    private let users = (0...QuietUsers.most).map { _ in UserID.random() }

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    private mutating func insert(_ index: Int, now: Int64) {
        quiet.insert(users[index], until: at(now + 100), now: at(now))
    }

    @Test("Q1: bulk makes room until the time of the last such user is over, and no longer once none is left")
    mutating func ends() {
        #expect(quiet.end == at(.min))
        insert(0, now: 0)
        insert(1, now: 10)
        insert(0, now: 20)
        #expect(quiet.end == at(120))
        quiet.remove(users[0])
        #expect(quiet.end == at(110))
        quiet.remove(users[0])
        quiet.remove(users[1])
        #expect(quiet.end == at(.min))
    }

    @Test("Q1: a few stand for all; whoever's time is over leaves their place to the next")
    mutating func few() {
        for index in 0..<QuietUsers.most { insert(index, now: Int64(index)) }
        insert(QuietUsers.most, now: 99)
        #expect(quiet.end == at(100 + Int64(QuietUsers.most) - 1), "one too many")
        insert(3, now: 99)
        #expect(quiet.end == at(199))
        insert(QuietUsers.most, now: 100)
        #expect(quiet.end == at(200))
        for user in users.dropFirst().dropLast() { quiet.remove(user) }
        #expect(quiet.end == at(200))
        quiet.remove(users[QuietUsers.most])
        #expect(quiet.end == at(.min))
    }
}
