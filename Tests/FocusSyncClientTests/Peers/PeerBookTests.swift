import FocusCore
import Foundation
import Testing

@testable import FocusSyncClient

@Suite("PeerBook") struct PeerBookTests {
    private let anna = Fixture.user(1)
    private let ben = Fixture.user(2)
    private let chat = AppID("com.example.chat")!
    private let mail = AppID("com.example.mail")!

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }
    private func told(_ statuses: PeerStatus...) -> PeerStatuses {
        // The server's clock is years away from the device's.
        PeerStatuses(statuses, now: Timestamp(microseconds: 42))
    }

    @Test("V1: what is told is told on once; the first time also that there is nothing")
    func changes() {
        var book = PeerBook()
        let focused = PeerStatus(user: anna, app: chat, isFocused: true)
        let nothing = PeerStatus(user: ben, app: chat, isFocused: nil)
        #expect(book.current([anna, ben]) == [])
        #expect(book.receive(told(focused, nothing), now: at(0)) == [focused, nothing])
        #expect(book.receive(told(focused, nothing), now: at(10_000)) == [])
        #expect(Set(book.current([anna, ben])) == [focused, nothing])
        let off = PeerStatus(user: anna, app: chat, isFocused: false)
        #expect(book.receive(told(off), now: at(11_000)) == [off])
    }

    @Test("V3: what is not told again in time is unavailable, by the device's own clock")
    func expiry() {
        var book = PeerBook()
        _ = book.receive(told(PeerStatus(user: anna, app: chat, isFocused: true)), now: at(1_000))
        _ = book.receive(told(PeerStatus(user: ben, app: chat, isFocused: true)), now: at(1_000))
        #expect(book.deadline == at(61_000))
        #expect(book.receive(told(PeerStatus(user: ben, app: chat, isFocused: true)), now: at(30_000)) == [])
        #expect(book.expire(now: at(60_999)) == [])
        #expect(book.expire(now: at(61_000)) == [PeerStatus(user: anna, app: chat, isFocused: nil)])
        #expect(book.deadline == at(90_000))
        let back = PeerStatus(user: anna, app: chat, isFocused: true)
        #expect(book.receive(told(back), now: at(62_000)) == [back], "the server is heard again")
    }

    @Test("V3: a status with a nonsensical end holds no longer than ten times as long as one should")
    func nonsense() {
        var book = PeerBook()
        let status = PeerStatus(user: anna, app: chat, isFocused: true)
        for (until, now) in [(Int64.max, Int64.min), (.max, 0), (.min, .max), (0, 1)] {
            let statuses = PeerStatuses(
                statuses: [status], validUntil: Timestamp(microseconds: until), serverTime: Timestamp(microseconds: now)
            )
            _ = book.receive(statuses, now: at(0))
            #expect(book.deadline.map { $0 <= at(600_000) } ?? false)
        }
    }

    @Test("V1: a system device hears that no app's status is available any more")
    func allApps() {
        var book = PeerBook()
        let none = PeerStatus(user: anna, app: nil, isFocused: nil)
        #expect(book.receive(told(none), now: at(0)) == [none])
        let both = [chat, mail].map { PeerStatus(user: anna, app: $0, isFocused: true) }
        #expect(book.receive(told(both[0], both[1]), now: at(1)) == both)
        #expect(book.current([anna]) == both)
        let gone = [chat, mail].map { PeerStatus(user: anna, app: $0, isFocused: nil) }
        #expect(book.receive(told(none), now: at(2)) == gone)
        #expect(book.current([anna]) == gone)
        book.forget([anna])
        #expect(book.current([anna]) == [])
    }

    @Test("V1, V2: an answer to Watch says all there is: what it does not name is over, what is as before is no change")
    func answer() {
        var book = PeerBook()
        let none = PeerStatus(user: anna, app: nil, isFocused: nil)
        let both = [chat, mail].map { PeerStatus(user: anna, app: $0, isFocused: true) }
        #expect(book.receive(told(none, both[0], both[1]), now: at(0)) == both)
        #expect(book.receive(told(none, both[0], both[1]), now: at(1)) == [])
        let others = PeerStatus(user: ben, app: mail, isFocused: true)
        #expect(book.receive(told(others), now: at(2)) == [others])
        let gone = PeerStatus(user: anna, app: mail, isFocused: nil)
        #expect(book.receive(told(none, both[0]), now: at(3)) == [gone])
        #expect(book.current([anna, ben]) == [both[0], gone, others])
        #expect(book.deadline == at(60_002))
    }
}
