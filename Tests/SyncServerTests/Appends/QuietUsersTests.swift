import FocusCore
import Support
import Testing

@testable import SyncServer

/// For whom bulk makes room.
@Suite struct QuietUsersTests {
    private var quiet = QuietUsers()
    private let anna = UserID.random()
    private let ben = UserID.random()

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    @Test("Q1: bulk makes room until the time of the last such user is over, and no longer once none is left")
    mutating func ends() {
        #expect(quiet.end == at(.min))
        for (user, end) in [(anna, 100), (ben, 110), (anna, 120), (anna, 120)] as [(UserID, Int64)] {
            quiet.insert(user, until: at(end))
        }
        #expect(quiet.end == at(120))
        quiet.remove(anna)
        quiet.remove(anna)
        #expect(quiet.end == at(110))
        quiet.insert(anna, until: at(130))
        quiet.remove(ben)
        #expect(quiet.end == at(130))
        quiet.remove(anna)
        #expect(quiet.end == at(.min))
    }

    @Test("Q1: whoever is not remembered any more stays until their time is over, and nobody else does")
    mutating func many() {
        let users = (1...QuietUsers.remembered).map { _ in UserID.random() }
        for user in users { quiet.insert(user, until: at(1)) }
        for user in users { quiet.remove(user) }
        #expect(quiet.end == at(.min), "as many as are remembered")
        quiet.insert(anna, until: at(1))
        for user in users { quiet.insert(user, until: at(2)) }
        quiet.insert(ben, until: at(3))
        for user in [anna, ben] + users.dropFirst() { quiet.remove(user) }
        #expect(quiet.end == at(2), "the first is not remembered any more")
        quiet.remove(users[0])
        #expect(quiet.end == at(2))
    }

    @Test("Q1: whoever has had time after time has the last, however often")
    mutating func again() {
        quiet.insert(ben, until: at(0))
        for time in 1...Int64(2 * QuietUsers.remembered) { quiet.insert(anna, until: at(time)) }
        quiet.remove(anna)
        #expect(quiet.end == at(0))
    }
}
