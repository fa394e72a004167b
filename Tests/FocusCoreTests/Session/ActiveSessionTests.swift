import FocusCore
import Foundation
import Testing

/// Rule L6: what a session makes of what its device reports.
@Suite("Session: activity") struct ActiveSessionTests {
    private let chat = AppID("com.example.chat")!
    private let mail = AppID("com.example.mail")!

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    private func live(_ scope: Scope = .system) -> Session {
        var session = Session(id: "s", limits: SharedSessionLimits(SessionLimits()), jitter: 0, now: at(0))
        let hello = Hello(
            minimumProtocol: 1, maximumProtocol: 2, token: "t", deviceClass: .phone, incarnation: Incarnation(1),
            cursor: nil, collections: [])
        _ = session.receive(.hello(hello), now: at(0))
        _ = session.authenticated(
            Identity(
                user: UserID(UUID()), device: DeviceID(UUID()), scope: scope,
                expiresAt: Timestamp(microseconds: .max)))
        _ = session.opened(
            SessionOpened(log: LogID(UUID()), lastSequence: .zero), serverTime: Timestamp(microseconds: 0), now: at(0))
        return session
    }

    /// The reports that come of letting time pass until `end`, with answers to all pings.
    private func run(_ session: inout Session, until end: Int64) -> [SessionAction] {
        var reports: [SessionAction] = []
        while session.deadline <= at(end), !session.isClosed {
            let now = session.deadline
            for action in session.tick(now: now) {
                switch action {
                case .send(.ping(let nonce)): _ = session.receive(.pong(nonce), now: now)
                case .outOfUse, .inUse: reports.append(action)
                default: break
                }
            }
        }
        return reports
    }

    @Test("L6: a device is out of use 60 s after its last report, once, and not before")
    func silence() {
        var session = live()
        #expect(session.receive(.active(true, app: chat), now: at(1_000)) == [.inUse(chat)])
        #expect(session.receive(.active(true, app: nil), now: at(20_000)) == [.inUse(nil)])
        #expect(run(&session, until: 79_999) == [])
        #expect(run(&session, until: 80_000) == [.outOfUse])
        #expect(run(&session, until: 300_000) == [])
        #expect(session.receive(.active(true, app: nil), now: at(300_001)) == [.inUse(nil)])
    }

    @Test("L6: a device that says so is out of use at once, and needs to say so once")
    func ends() {
        var session = live()
        #expect(session.receive(.active(false, app: nil), now: at(1)) == [])
        _ = session.receive(.active(true, app: nil), now: at(2))
        #expect(session.receive(.active(false, app: nil), now: at(3)) == [.outOfUse])
        #expect(session.receive(.active(false, app: nil), now: at(4)) == [])
        #expect(run(&session, until: 200_000) == [])
    }

    @Test("L6, A4: an app says of itself alone that it is in front")
    func scope() {
        var session = live(.app(chat))
        #expect(session.receive(.active(true, app: nil), now: at(1)) == [.inUse(chat)])
        #expect(session.receive(.active(true, app: mail), now: at(2)) == [.inUse(chat)])
    }

    @Test("L6: of more than 60 reports a minute the rest is not heard, and the device is answered nothing")
    func flood() {
        var session = live()
        let heard = (0..<1_000).count { !session.receive(.active(true, app: nil), now: at(Int64($0))).isEmpty }
        #expect(heard == 60)
        #expect(session.receive(.active(true, app: nil), now: at(3_000)) == [.inUse(nil)])
        // Its end is heard all the same.
        #expect(session.receive(.active(false, app: nil), now: at(3_001)) == [.outOfUse])
    }

    @Test("L6: before Hello it is refused as anything else is")
    func first() {
        var session = Session(id: "s", limits: SharedSessionLimits(SessionLimits()), jitter: 0, now: at(0))
        #expect(session.receive(.active(true, app: nil), now: at(1)).last == .close)
    }
}
