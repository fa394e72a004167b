import FocusCore
import Foundation
import Testing

@Suite("Session") struct SessionTests {
    private let identity = Identity(
        user: UserID(UUID()), device: DeviceID(UUID()), scope: .system,
        expiresAt: Timestamp(microseconds: 1_000_000_000_000))
    private let limits = SessionLimits()

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    private func fresh() -> Session { Session(id: "s", limits: SharedSessionLimits(limits), jitter: 0, now: at(0)) }

    private func hello(_ range: ClosedRange<UInt32> = 1...1, cursor: Cursor? = nil) -> ClientMessage {
        .hello(
            Hello(
                minimumProtocol: range.lowerBound, maximumProtocol: range.upperBound, token: "t", deviceClass: .phone,
                incarnation: Incarnation(7), cursor: cursor, collections: []))
    }

    private func live() -> Session {
        var session = fresh()
        _ = session.receive(hello(), now: at(1))
        _ = session.authenticated(identity)
        _ = session.opened(
            SessionOpened(log: LogID(UUID()), lastSequence: .zero), serverTime: Timestamp(microseconds: 0), now: at(2))
        return session
    }

    private func append(_ sequence: Int64, count: Int = 1) -> ClientMessage {
        let envelope = Envelope(
            id: EventID(UUID()), type: "badge.cleared", app: "a", occurredAt: Timestamp(microseconds: 1),
            schemaVersion: 1, payload: [])
        return .append(
            AppendRequest(
                firstSequence: DeviceSequence(sequence), envelopes: Array(repeating: envelope, count: count)))
    }

    private func error(_ actions: [SessionAction]) -> ErrorCode? {
        guard case .send(.error(let error)) = actions.first, actions.last == .close else { return nil }
        return error.code
    }

    @Test("W7: anything before Hello is hello_required, and closes")
    func helloRequired() {
        for message in [append(1), .ping(1), .bye, .unknown, .ack(.zero)] {
            var session = fresh()
            #expect(error(session.receive(message, now: at(1))) == .helloRequired)
            #expect(session.isClosed)
        }
    }

    @Test("W5: without a common protocol the server names its range", arguments: [3...4, 0...0])
    func protocolRange(_ range: ClosedRange<UInt32>) {
        var session = fresh()
        #expect(error(session.receive(hello(range), now: at(1))) == .protocolUnsupported)
    }

    @Test("W5: a range that holds ours is accepted")
    func protocolCommon() {
        var session = fresh()
        #expect(session.receive(hello(0...9), now: at(1)) == [.authenticate(token: "t")])
    }

    @Test("W6: no Hello within 10 s closes, exactly then and not before")
    func helloTimeout() {
        var session = fresh()
        #expect(session.deadline == at(10_000))
        #expect(session.tick(now: at(9_999)) == [])
        #expect(error(session.tick(now: at(10_000))) == .helloTimeout)
    }

    @Test("W6: a token that is checked for ever counts as no Hello")
    func authenticationTimeout() {
        var session = fresh()
        _ = session.receive(hello(), now: at(5_000))
        #expect(!session.acceptsMessages)
        #expect(error(session.tick(now: at(10_000))) == .helloTimeout)
    }

    @Test("W4: bytes that are no frame close the connection")
    func malformed() {
        var session = live()
        #expect(error(session.receiveUndecodable(.malformedFrame, "bytes")) == .malformedFrame)
        #expect(session.receive(.ping(1), now: at(3)) == [])
    }

    @Test("W3: an unknown message is answered, and the connection kept")
    func unknownMessage() {
        var session = live()
        let actions = session.receive(.unknown, now: at(3))
        let answer = actions.first
        guard case .send(.error(let error)) = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        #expect(error.code == .unknownMessage && actions.count == 1 && !session.isClosed)
        #expect(session.receive(.ping(5), now: at(4)) == [.send(.pong(5))])
    }

    @Test("A1: whatever is wrong with a token, the answer is the same")
    func unauthenticated() {
        var session = fresh()
        _ = session.receive(hello(), now: at(1))
        #expect(error(session.authenticationFailed()) == .unauthenticated)
        #expect(session.authenticated(identity) == [])
    }

    @Test("A1: the view comes from the token, the class from Hello unless the token fixes it")
    func viewFromToken() {
        var session = fresh()
        _ = session.receive(hello(), now: at(1))
        var watch = identity
        watch.deviceClass = .watch
        let answer = session.authenticated(watch).first
        guard case .open(let opening) = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        #expect(opening.view == View(scope: .system, device: watch.device, deviceClass: .watch))
        var claimed = fresh()
        _ = claimed.receive(hello(), now: at(1))
        guard case .open(let second) = claimed.authenticated(identity).first else {
            Issue.record("it does not open")
            return
        }
        #expect(!second.view.isClassProven && second.view.deviceClass == .phone)
        #expect(opening.incarnation == Incarnation(7))
    }

    @Test("W1: larger frames are allowed only once Hello is accepted")
    func frameLimit() {
        var session = fresh()
        #expect(!session.receive(hello(), now: at(1)).contains(.allowFrames(bytes: limits.frameBytes)))
        #expect(!session.authenticated(identity).contains(.allowFrames(bytes: limits.frameBytes)))
        let actions = session.opened(
            SessionOpened(log: LogID(UUID()), lastSequence: DeviceSequence(4)), serverTime: Timestamp(microseconds: 0),
            now: at(2))
        #expect(actions.first == .allowFrames(bytes: limits.frameBytes))
        let answer = actions.last
        guard case .send(.welcome(let welcome)) = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        #expect(welcome.lastSequence == DeviceSequence(4))
    }

    @Test("P9: at the limit of unacknowledged appends reading stops, and goes on at half of it")
    func backPressure() {
        var session = live()
        for sequence in 1..<limits.unacknowledgedAppends {
            #expect(session.receive(append(Int64(sequence)), now: at(3)).count == 1)
        }
        #expect(session.receive(append(64), now: at(3)).last == .pauseReading)
        for _ in 0..<limits.unacknowledgedAppends / 2 - 1 { #expect(session.appendAnswered() == []) }
        #expect(session.appendAnswered() == [.resumeReading])
        #expect(session.appendAnswered() == [])
    }

    @Test("P9: a session that is not read is not closed for its silence")
    func pausedSilence() {
        var session = live()
        for sequence in 1...limits.unacknowledgedAppends { _ = session.receive(append(Int64(sequence)), now: at(3)) }
        #expect(session.tick(now: at(60_000)).count == 1)
        #expect(!session.isClosed)
    }

    @Test("L4: ping at every interval, and silence for two closes")
    func heartbeat() {
        var session = live()
        #expect(session.deadline == at(25_002))
        let answer = session.tick(now: at(25_002)).first
        guard case .send(.ping) = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        #expect(session.deadline == at(50_002))
        let farewell = session.tick(now: at(50_002)).first
        guard case .send(.goAway(let goAway)) = farewell else {
            Issue.record("\(String(describing: farewell))")
            return
        }
        #expect(goAway.code == .heartbeatTimeout && session.isClosed)
    }

    @Test("L4: whatever is heard keeps the session")
    func heard() {
        var session = live()
        _ = session.tick(now: at(25_002))
        _ = session.receive(.pong(1), now: at(30_000))
        let answer = session.tick(now: at(50_002)).first
        guard case .send(.ping) = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
    }

    @Test("L4: intervals differ by at most a tenth", arguments: [-1.0, 0, 1, 5])
    func jitter(_ jitter: Double) {
        var session = Session(id: "s", limits: SharedSessionLimits(limits), jitter: jitter, now: at(0))
        _ = session.receive(hello(), now: at(0))
        _ = session.authenticated(identity)
        _ = session.opened(
            SessionOpened(log: LogID(UUID()), lastSequence: .zero), serverTime: Timestamp(microseconds: 0), now: at(0))
        #expect((22_500...27_500).contains(session.deadline.milliseconds))
    }

    @Test("A2: when the token ends, the session does")
    func expiry() {
        var session = fresh()
        _ = session.receive(hello(), now: at(0))
        var short = identity
        short.expiresAt = Timestamp(microseconds: 5_000_000)
        _ = session.authenticated(short)
        _ = session.opened(
            SessionOpened(log: LogID(UUID()), lastSequence: .zero), serverTime: Timestamp(microseconds: 0), now: at(0))
        #expect(session.deadline == at(5_000))
        let farewell = session.tick(now: at(5_000)).first
        guard case .send(.goAway(let goAway)) = farewell else {
            Issue.record("\(String(describing: farewell))")
            return
        }
        #expect(goAway.code == .tokenExpired)
    }

    @Test("Appends without events, with too many, or with impossible sequences close", arguments: [0, 1_001])
    func impossibleAppends(_ count: Int) {
        var session = live()
        #expect(error(session.receive(append(1, count: count), now: at(3))) == .malformedFrame)
        session = live()
        #expect(error(session.receive(append(0), now: at(3))) == .malformedFrame)
        session = live()
        #expect(error(session.receive(append(.max), now: at(3))) == .malformedFrame)
        session = live()
        #expect(session.receive(append(1, count: limits.eventsPerAppend), now: at(3)).count == 1)
    }

    @Test("G1: a session is told to go away once, then says nothing")
    func goAway() {
        var session = live()
        #expect(session.goAway(.shuttingDown).count == 2)
        #expect(session.goAway(.shuttingDown) == [])
        #expect(session.failed(ProtocolError(.internal, "")) == [])
        #expect(session.deadline == at(.max))
    }

    @Test("L5: few who are sent away together may come back at once, 10,000 and more spread over the whole range")
    func backoffTogether() {
        func bounds(_ count: Int?) -> ClosedRange<UInt32>? {
            var session = live()
            let actions = session.goAway(.shuttingDown, together: count)
            guard case .send(.goAway(let told)) = actions.first else { return nil }
            return told.minimumBackoffMilliseconds...told.maximumBackoffMilliseconds
        }
        #expect(bounds(1) == 20...200 && bounds(400) == 20...200)
        #expect(bounds(402) == 20...201 && bounds(5_000) == 250...2_500)
        #expect(bounds(10_000) == 500...5_000 && bounds(.max) == 500...5_000 && bounds(nil) == 500...5_000)
    }
}
