import Foundation
import Testing

@testable import FocusCore

/// Rule Q5 on a connection. The quota itself is given from outside.
@Suite("Session: quotas") struct QuotaSessionTests {
    private let now = MonotonicTime(milliseconds: 0)

    private func begin(take: RequestQuota = { _, _ in nil }) -> (session: Session, actions: [SessionAction]) {
        let identity = Identity(
            user: .ada, device: .phone, scope: .system, expiresAt: Timestamp(microseconds: 1_000_000_000_000))
        var session = Session(id: "s", limits: SharedSessionLimits(SessionLimits()), jitter: 0, now: now)
        _ = session.receive(
            .hello(
                Hello(
                    minimumProtocol: 1, maximumProtocol: 1, token: "t", deviceClass: .phone,
                    incarnation: Incarnation(1), cursor: nil, collections: [])), now: now)
        let actions = session.authenticated(identity, take: take)
        _ = session.opened(
            SessionOpened(log: LogID(Stage.uuid(1)), lastSequence: .zero), serverTime: .at(0), now: now)
        return (session, actions)
    }

    private func error(_ actions: [SessionAction]) -> ProtocolError? {
        if case .send(.error(let error)) = actions.first { error } else { nil }
    }

    @Test("Q5: a fetch past the quota is answered with its request and a time, and counts as none under way")
    func fetch() {
        var session = begin().session
        let fetch = ClientMessage.fetch(FetchRequest(id: 7, .routes(after: nil)))
        for _ in 0..<5 {
            let actions = session.receive(fetch, now: now) { request, amount in
                request == .fetch && amount == 1 ? 1_234 : nil
            }
            let error = error(actions)
            #expect(error?.code == .quotaExceeded && error?.request == 7 && error?.retryAfterMilliseconds == 1_234)
        }
        #expect(!session.isClosed && session.receive(fetch, now: now).count == 1)
    }

    @Test(
        "Q5: a Watch, Resync or Renew past the quota ends the session: its device would wait for what it is not told",
        arguments: [
            (ClientMessage.watch([.ada, .ada]), QuotaRequest.watch, 2), (.resync([]), .resync, 1),
            (.renew(token: "t"), .session, 1),
        ])
    func ends(_ message: ClientMessage, _ kind: QuotaRequest, _ amount: Int) {
        var session = begin().session
        #expect(session.receive(message, now: now).count == 1 && !session.isClosed)
        let actions = session.receive(message, now: now) { $0 == kind && $1 == amount ? 60_000 : nil }
        let error = error(actions)
        #expect(error?.code == .quotaExceeded && error?.retryAfterMilliseconds == 60_000)
        #expect(actions.last == .close && session.isClosed)
    }

    @Test("Q5: a Hello past the quota is answered so, and nobody is let in")
    func hello() {
        let (session, actions) = begin { request, _ in request == .session ? 500 : nil }
        #expect(error(actions)?.code == .quotaExceeded && error(actions)?.retryAfterMilliseconds == 500)
        #expect(actions.last == .close && session.isClosed)
    }

    @Test("Q5: Welcome names the quotas")
    func welcome() {
        var session = Session(id: "s", limits: SharedSessionLimits(SessionLimits()), jitter: 0, now: now)
        _ = session.receive(
            .hello(
                Hello(
                    minimumProtocol: 1, maximumProtocol: 1, token: "t", deviceClass: .phone,
                    incarnation: Incarnation(1), cursor: nil, collections: [])), now: now)
        _ = session.authenticated(
            Identity(user: .ada, device: .phone, scope: .system, expiresAt: Timestamp(microseconds: 1 << 50)))
        let actions = session.opened(
            SessionOpened(log: LogID(Stage.uuid(1)), lastSequence: .zero), serverTime: .at(0), now: now)
        let welcome = actions.lazy.compactMap { action -> Welcome? in
            if case .send(.welcome(let welcome)) = action { welcome } else { nil }
        }.first
        #expect(
            welcome?.quotas
                == Quotas(
                    eventsPerDay: 200_000, bytesPerDay: 1 << 30, fetchesPerMinute: 600, resyncsPerMinute: 60,
                    watchedUsersPerMinute: 4_096, sessionsPerMinute: 300))
    }
}
