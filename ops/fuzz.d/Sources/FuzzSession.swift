import FocusWire
import Foundation

@testable import FocusCore

/// Fuzzes a session. Each record holds a byte that names what happens, and its arguments: any client message in any
/// order, among everything else that happens to a session (time, answers of the lane, tokens, ends).
func fuzzSession(_ input: FuzzInput) {
    var input = input
    var stage = SessionStage()
    while var record = input.next() { stage.step(&record) }
}

/// A session and what the lane still owes it; acts on its actions as `SessionHandler` does.
private struct SessionStage {
    private var session = Session(id: "f", limits: SharedSessionLimits(SessionLimits()), jitter: 0, now: MonotonicTime(milliseconds: 0))
    private let limits = SessionLimits()
    private var now = MonotonicTime(milliseconds: 0)
    private var unanswered = 0
    private var fetching = 0
    private var rowsWaiting = 0
    private var isPaused = false
    private var isOpened = false
    private var isOver = false
    private var asked: Set<String> = []
    private let identity = Identity(
        user: UserID(UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))),
        device: DeviceID(UUID(uuid: (2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2))), scope: .system,
        expiresAt: Timestamp(microseconds: 100_000_000))

    mutating func step(_ record: inout FuzzRecord) {
        switch record.byte() % 16 {
        case 0...3: message(record.bytes)
        case 4: pass(Int64(record.short()))
        case 5: if asked.remove("token") != nil { perform(session.authenticated(expiring(record.byte()))) }
        case 6: if asked.remove("token") != nil { perform(session.authenticationFailed()) }
        case 7: if asked.remove("open") != nil { opened(DeviceSequence(Int64(record.short()))) }
        case 8: if asked.remove("renewal") != nil { renewed(record.byte()) }
        case 9 where unanswered > 0:
            unanswered -= 1
            perform(session.appendAnswered())
        case 10 where fetching > 0:
            fetching -= 1
            session.fetchAnswered()
        case 11: rows(record.byte())
        case 12: session.outOfBudget(record.byte() & 1 == 0, now: now)
        case 13: end(record.byte())
        // One message up to 255 times, because a mutator hardly ever reaches a bound by single records.
        case 14:
            let (count, bytes) = (Int(record.byte()), record.bytes)
            for _ in 0..<count { message(bytes) }
        case 15: perform(session.tick(now: now, serverTime: wall))
        default: break
        }
        check(session.watched.count <= limits.watchedUsers, "watches beyond the limit (V1)")
        check(session.isClosed == isOver, "closed without an end, or the other way round")
        check(isOver || session.deadline.milliseconds < .max, "nothing will ever end it")
    }

    private mutating func message(_ bytes: [UInt8]) {
        // The handler keeps messages back while the session is busy; those read before a pause still arrive.
        guard session.acceptsMessages, !session.isClosed, unanswered < 2 * limits.unacknowledgedAppends else { return }
        do throws(FrameError) {
            perform(session.receive(try FrameCodec.decodeClient(bytes), now: now))
        } catch {
            perform(session.receiveUndecodable(error.code, error.message))
            check(isOver, "goes on after a frame that does not decode (W4)")
        }
    }

    private mutating func pass(_ milliseconds: Int64) {
        now = now.adding(milliseconds: milliseconds)
        guard now >= session.deadline else { return }
        perform(session.tick(now: now, serverTime: wall))
        check(session.deadline > now, "a tick leaves its own deadline: the handler's timer would never rest")
    }

    private var wall: Timestamp { Timestamp(microseconds: now.milliseconds * 1_000) }

    private func expiring(_ choice: UInt8) -> Identity {
        var identity = identity
        let ends: [Int64] = [.min, 0, now.milliseconds * 1_000 + 61_000_000, 3_600_000_000, .max]
        identity.expiresAt = Timestamp(microseconds: ends[Int(choice) % ends.count])
        return identity
    }

    private mutating func opened(_ last: DeviceSequence) {
        isOpened = !session.isClosed
        perform(
            session.opened(
                SessionOpened(log: LogID(identity.user.uuid), lastSequence: last), serverTime: wall, now: now))
    }

    private mutating func renewed(_ choice: UInt8) {
        var new = expiring(choice)
        if choice & 0x10 != 0 { new.device = .server }
        perform(session.renewed(choice & 0x20 == 0 ? new : nil, serverTime: wall, now: now))
    }

    private mutating func rows(_ choice: UInt8) {
        if choice & 1 == 0 {
            session.rowsQueued(now: now)
            rowsWaiting += 1
        } else if rowsWaiting > 0 {
            session.rowsWritten(now: now)
            rowsWaiting -= 1
        }
        check(session.hasRowsWaiting == (rowsWaiting > 0), "lost count of the rows that wait (L2)")
    }

    private mutating func end(_ choice: UInt8) {
        switch choice % 3 {
        case 0: perform(session.failed(ProtocolError(.unavailable, "")))
        case 1: perform(session.goAway(.shuttingDown))
        default:
            session.disconnected()
            isOver = true
        }
    }

    private mutating func perform(_ actions: [SessionAction]) {
        for action in actions {
            check(!isOver, "\(action) after the close")
            switch action {
            case .send(let message): send(message)
            case .authenticate: check(asked.insert("token").inserted && !isOpened, "a token once more")
            case .renew: check(asked.insert("renewal").inserted && isOpened, "two renewals at once (A2)")
            case .open: check(asked.insert("open").inserted && !isOpened, "opened once more")
            case .append(let request):
                check(
                    !request.envelopes.isEmpty && request.envelopes.count <= limits.eventsPerAppend,
                    "append out of bounds")
                unanswered += 1
            case .heal(let request):
                check(request.firstSequence > .zero, "heals from nowhere (S6)")
                unanswered += 1
            case .recall(let request):
                check(request.firstSequence > .zero, "recalls from nowhere (P10)")
                unanswered += 1
            case .fetch, .reach:
                fetching += 1
                check(fetching <= limits.fetches, "fetches beyond the limit")
            case .resync, .watch, .unwatch, .inUse, .outOfUse: check(isOpened, "\(action) before it is open")
            case .allowFrames(let bytes): check(isOpened && bytes == limits.frameBytes, "larger frames too early (W1)")
            case .pauseReading:
                check(!isPaused, "paused twice (P9)")
                isPaused = true
            case .resumeReading:
                check(isPaused, "resumed twice (P9)")
                isPaused = false
            case .close: isOver = true
            }
        }
        check(isOver || isPaused || unanswered < limits.unacknowledgedAppends, "reads on beyond the limit (P9)")
        check(isOver || !isPaused || unanswered > limits.unacknowledgedAppends / 2, "never reads again (P9)")
    }

    /// Checks that the device can decode the message.
    private func send(_ message: ServerMessage) {
        let frame = Array(FrameCodec.frame(message).dropFirst(FrameSplitter.prefixBytes))
        check((try? FrameCodec.decodeServer(frame)) == message, "\(message) changes on its way")
        if case .welcome = message { check(isOpened, "welcome before it is open") }
    }
}
