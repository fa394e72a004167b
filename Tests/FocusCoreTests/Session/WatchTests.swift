import Foundation
import Testing

@testable import FocusCore

@Suite("Session: watching") struct WatchTests {
    private let now = MonotonicTime(milliseconds: 0)
    private let identity = Identity(
        user: .ada, device: .phone, scope: .app(.chat), expiresAt: Timestamp(microseconds: 1_000_000_000_000))

    private func live(limit: Int = 3) -> Session {
        var limits = SessionLimits()
        limits.watchedUsers = limit
        var session = Session(id: "s", limits: SharedSessionLimits(limits), jitter: 0, now: now)
        _ = session.receive(
            .hello(
                Hello(
                    minimumProtocol: 1, maximumProtocol: 1, token: "t", deviceClass: .phone,
                    incarnation: Incarnation(1),
                    cursor: nil, collections: [])), now: now)
        _ = session.authenticated(identity)
        _ = session.opened(
            SessionOpened(log: LogID(Stage.uuid(1)), lastSequence: .zero), serverTime: .at(0), now: now)
        return session
    }

    private func users(_ numbers: ClosedRange<Int>) -> [UserID] { numbers.map { UserID(Stage.uuid($0)) } }

    @Test("V1: a Watch is of whom the token says, whatever it names")
    func watch() {
        var session = live()
        let viewer = Viewer(user: .ada, scope: .app(.chat))
        #expect(session.receive(.watch(users(1...2) + users(1...1)), now: now) == [.watch(Set(users(1...2)), viewer)])
        #expect(session.receive(.watch(users(2...2)), now: now) == [.watch(Set(users(2...2)), viewer)], "asked again")
        #expect(session.receive(.watch([]), now: now) == [])
    }

    @Test("V1: one more user than a session may watch is refused with all that came with it, and the session goes on")
    func limit() {
        var session = live()
        _ = session.receive(.watch(users(1...3)), now: now)
        let refused = session.receive(.watch(users(3...4)), now: now)
        guard case .send(.error(let error))? = refused.first, refused.count == 1 else {
            Issue.record("\(refused)")
            return
        }
        #expect(error.code == .tooManyWatched && !error.code.isRetryable)
        #expect(!session.isClosed)
        #expect(session.receive(.unwatch(users(3...9)), now: now) == [.unwatch(Set(users(3...3)))])
        #expect(session.receive(.watch(users(4...4)), now: now).count == 1)
        #expect(session.receive(.unwatch([]), now: now) == [.unwatch(Set(users(1...2) + users(4...4)))])
        #expect(session.receive(.unwatch([]), now: now) == [])
        #expect(session.receive(.watch(users(5...7)), now: now).count == 1)
    }

    @Test("V1, W7: nobody is watched before Hello")
    func early() {
        var session = Session(id: "s", limits: SharedSessionLimits(SessionLimits()), jitter: 0, now: now)
        _ = session.receive(.watch(users(1...1)), now: now)
        #expect(session.isClosed)
    }
}
