import Foundation
import Testing

@testable import FocusCore

@Suite("Session: fetches") struct FetchSessionTests {
    private let question = FetchQuestion.routes(after: nil)
    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    private func live(_ scope: Scope = .system) -> Session {
        let identity = Identity(
            user: .bob, device: DeviceID(UUID()), scope: scope,
            expiresAt: Timestamp(microseconds: 1_000_000_000_000))
        var session = Session(id: "s", limits: SharedSessionLimits(SessionLimits()), jitter: 0, now: at(0))
        _ = session.receive(
            .hello(
                Hello(
                    minimumProtocol: 1, maximumProtocol: 1, token: "t", deviceClass: .phone,
                    incarnation: Incarnation(1),
                    cursor: nil, collections: [])), now: at(0))
        _ = session.authenticated(identity)
        _ = session.opened(
            SessionOpened(log: LogID(UUID()), lastSequence: .zero), serverTime: Timestamp(microseconds: 0), now: at(0))
        return session
    }

    @Test("R1: as many fetches as the limit are under way; one more is answered overloaded, with its request")
    func limit() {
        var session = live()
        for id in 0..<4 as Range<UInt64> {
            let request = FetchRequest(id: id, question)
            #expect(session.receive(.fetch(request), now: at(1)) == [.fetch(request)])
        }
        let extra = ClientMessage.fetch(FetchRequest(id: 9, question))
        guard case .send(.error(let error)) = session.receive(extra, now: at(2)).first else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .overloaded && error.request == 9 && error.retryAfterMilliseconds > 0)
        #expect(!session.isClosed)
        session.fetchAnswered()
        #expect(session.receive(extra, now: at(3)) == [.fetch(FetchRequest(id: 9, question))])
    }

    @Test("F6: whether a message reaches somebody is a fetch like any other; an app asks of itself alone")
    func reach() {
        var session = live(.app(.chat))
        let viewer = Viewer(user: .bob, scope: .app(.chat))
        let (own, other) = (ReachQuestion(user: .ada, app: .chat), ReachQuestion(user: .ada, app: .mail))
        let denied = session.receive(.fetch(FetchRequest(id: 7, .reach(other))), now: at(1))
        #expect(denied == [.send(.error(.notFound(request: 7)))])
        for id in 0..<4 as Range<UInt64> {
            let actions = session.receive(.fetch(FetchRequest(id: id, .reach(own))), now: at(1))
            #expect(actions == [.reach(id, own, viewer)])
        }
        guard
            case .send(.error(let error)) = session.receive(.fetch(FetchRequest(id: 9, .reach(own))), now: at(2)).first
        else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .overloaded && error.request == 9)
        session.fetchAnswered()
        #expect(session.receive(.fetch(FetchRequest(id: 9, .reach(own))), now: at(3)) == [.reach(9, own, viewer)])
    }

    @Test("W3: a question of a later kind is unknown_message, with its request; the connection stays")
    func unknown() {
        var session = live()
        let actions = session.receive(.fetch(FetchRequest(id: 5, .unknown)), now: at(1))
        guard case .send(.error(let error)) = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(error.code == .unknownMessage && error.request == 5 && !session.isClosed)
    }

    @Test("W7: a fetch before Hello is hello_required")
    func beforeHello() {
        var session = Session(id: "s", limits: SharedSessionLimits(SessionLimits()), jitter: 0, now: at(0))
        guard
            case .send(.error(let error)) = session.receive(.fetch(FetchRequest(id: 1, question)), now: at(1)).first
        else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .helloRequired && session.isClosed)
    }
}
