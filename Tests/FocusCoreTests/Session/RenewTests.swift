import FocusCore
import Foundation
import Testing

@Suite("Session: renewal, slow devices") struct RenewTests {
    private let identity = Identity(
        user: UserID(UUID()), device: DeviceID(UUID()), scope: .system,
        expiresAt: Timestamp(microseconds: 100_000_000))
    private let limits = SessionLimits()

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }
    private func wall(_ milliseconds: Int64) -> Timestamp { Timestamp(microseconds: milliseconds * 1_000) }

    /// A live session; the monotonic clock and the wall clock both begin at 0.
    private func live(_ identity: Identity, limits: SessionLimits? = nil) -> (Session, [SessionAction]) {
        var session = Session(id: "s", limits: SharedSessionLimits(limits ?? self.limits), jitter: 0, now: at(0))
        let hello = Hello(
            minimumProtocol: 1, maximumProtocol: 1, token: "t", deviceClass: .phone, incarnation: Incarnation(1),
            cursor: nil, collections: [])
        _ = session.receive(.hello(hello), now: at(0))
        _ = session.authenticated(identity)
        let actions = session.opened(
            SessionOpened(log: LogID(UUID()), lastSequence: .zero), serverTime: wall(0), now: at(0))
        return (session, actions)
    }

    private func goAway(_ actions: [SessionAction]) -> ErrorCode? {
        guard case .send(.goAway(let goAway)) = actions.first, actions.last == .close else { return nil }
        return goAway.code
    }

    /// Lets time pass until `end` and answers pings; returns the session's other actions.
    private func run(_ session: inout Session, until end: Int64) -> [SessionAction] {
        var actions: [SessionAction] = []
        while session.deadline <= at(end), !session.isClosed {
            let now = session.deadline
            for action in session.tick(now: now, serverTime: wall(now.milliseconds)) {
                if case .send(.ping(let nonce)) = action {
                    _ = session.receive(.pong(nonce), now: now)
                } else {
                    actions.append(action)
                }
            }
            guard session.isClosed || session.deadline > now else {
                Issue.record("what is due at \(now) stays due")
                break
            }
        }
        return actions
    }

    @Test("A2: a device is warned 60 s before its token ends, once, and sent away when it has ended")
    func warning() {
        var (session, actions) = live(identity)
        #expect(actions.count == 2)
        #expect(run(&session, until: 39_999) == [])
        #expect(
            run(&session, until: 99_999) == [.send(.tokenExpiry(identity.expiresAt, serverTime: wall(40_000)))])
        #expect(goAway(run(&session, until: 100_000)) == .tokenExpired)
    }

    @Test("A2: a token that ends sooner is warned of at once")
    func shortToken() {
        var short = identity
        short.expiresAt = wall(5_000)
        var (session, actions) = live(short)
        #expect(actions.last == .send(.tokenExpiry(wall(5_000), serverTime: wall(0))))
        #expect(goAway(run(&session, until: 5_000)) == .tokenExpired)
    }

    @Test("A2: a new token of the same identity takes over, and is warned of in its own time")
    func renewal() {
        var (session, _) = live(identity)
        #expect(session.receive(.renew(token: "new"), now: at(50_000)) == [.renew(token: "new")])
        // Messages wait for the result, so that only one token is checked at a time.
        #expect(!session.acceptsMessages)
        var longer = identity
        longer.expiresAt = wall(500_000)
        #expect(
            session.renewed(longer, serverTime: wall(50_000), now: at(50_000))
                == [.send(.tokenExpiry(wall(500_000), serverTime: wall(50_000)))])
        #expect(session.acceptsMessages)
        #expect(run(&session, until: 439_999) == [])
        #expect(
            run(&session, until: 499_999) == [.send(.tokenExpiry(wall(500_000), serverTime: wall(440_000)))])
        #expect(goAway(run(&session, until: 500_000)) == .tokenExpired)
    }

    @Test("A2: a token of another user, device, scope or class is as bad as a bad one; the one before stays in force")
    func otherIdentity() {
        let changes: [(inout Identity) -> Void] = [
            { $0.user = UserID(UUID()) }, { $0.device = DeviceID(UUID()) }, { $0.scope = .app(AppID("a.b")!) },
            { $0.deviceClass = .watch },
        ]
        var answers: Set<[SessionAction]> = []
        var tokens: [Identity?] = [nil]
        for change in changes {
            var other = identity
            other.expiresAt = wall(500_000)
            change(&other)
            tokens.append(other)
        }
        for token in tokens {
            var (session, _) = live(identity)
            _ = session.receive(.renew(token: "new"), now: at(1))
            answers.insert(session.renewed(token, serverTime: wall(1), now: at(1)))
            #expect(session.acceptsMessages && !session.isClosed)
            #expect(goAway(run(&session, until: 100_000).suffix(2).map { $0 }) == .tokenExpired)
        }
        #expect(answers.count == 1)
        let answer = answers.first?.first
        guard case .send(.error(let error)) = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        #expect(error.code == .unauthenticated && answers.first?.count == 1)
    }

    @Test("A2: a token without any end that counts ends nothing", arguments: [Int64.max, Int64.max / 2])
    func endless(_ expiry: Int64) {
        var endless = identity
        endless.expiresAt = Timestamp(microseconds: expiry)
        var (session, _) = live(endless)
        // More than the 24.8 days that 32 bits of milliseconds hold.
        #expect(run(&session, until: 40 * 86_400_000) == [])
        #expect(!session.isClosed)
    }

    @Test("L2: rows of which none is written for 30 s end the session; any that is written gives 30 s more")
    func slowConsumer() {
        var (session, _) = live(identity)
        session.rowsQueued(now: at(1_000))
        session.rowsQueued(now: at(20_000))
        session.rowsWritten(now: at(29_000))
        #expect(session.deadline == at(25_000))
        #expect(goAway(run(&session, until: 58_999)) == nil && !session.isClosed)
        #expect(session.deadline == at(59_000))
        #expect(goAway(session.tick(now: at(59_000))) == .slowConsumer)
    }

    @Test("L2: a device to which nothing is to be written is not slow, however long it is so")
    func idle() {
        var endless = identity
        endless.expiresAt = Timestamp(microseconds: .max)
        var (session, _) = live(endless)
        session.rowsQueued(now: at(1_000))
        session.rowsWritten(now: at(1_001))
        #expect(run(&session, until: 1_000_000) == [])
        // The 30 s count from the moment at which rows begin to wait.
        session.rowsQueued(now: at(1_000_000))
        #expect(run(&session, until: 1_029_999) == [])
        #expect(goAway(run(&session, until: 1_030_000)) == .slowConsumer)
    }

    @Test("L4: a device that goes on taking what waits for it is not silent, though its answers come late")
    func takesSlowly() {
        var endless = identity
        endless.expiresAt = Timestamp(microseconds: .max)
        var (session, _) = live(endless)
        for _ in 0..<80 { session.rowsQueued(now: at(0)) }
        for now in stride(from: Int64(1_000), through: 80_000, by: 1_000) {
            session.rowsWritten(now: at(now))
            if session.deadline <= at(now) { #expect(session.tick(now: at(now)).last != .close) }
        }
        // Silence counts from the last rows that the device took.
        for now in [100_000, 129_999] as [Int64] { #expect(session.tick(now: at(now)).last != .close) }
        #expect(goAway(session.tick(now: max(at(130_000), session.deadline))) == .heartbeatTimeout)
    }

    @Test("L4: what the system takes at once tells nothing of the device: its silence closes")
    func takenAtOnce() {
        var (session, _) = live(identity)
        for now in stride(from: Int64(500), to: 50_000, by: 500) {
            session.rowsQueued(now: at(now))
            session.rowsWritten(now: at(now + 400))
            if session.deadline <= at(now) { #expect(session.tick(now: at(now)).last != .close) }
        }
        #expect(goAway(session.tick(now: at(50_000))) == .heartbeatTimeout)
    }

    @Test("L4: a session that is not read, because all together hold too much, is not closed for its silence")
    func outOfBudget() {
        var (session, _) = live(identity)
        session.outOfBudget(true, now: at(100))
        for now in [25_000, 50_000, 75_000] as [Int64] { #expect(session.tick(now: at(now)).last != .close) }
        session.outOfBudget(false, now: at(80_000))
        #expect(goAway(session.tick(now: at(99_999))) == nil)
    }
}
