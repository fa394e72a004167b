import FocusCore
import FocusSyncClient
import Testing

@Suite("ClientSession")
struct ClientSessionTests {
    @Test("The first thing said is Hello, and appends wait for Welcome")
    func beginsWithHello() {
        var session = makeSession(acknowledged: 0, last: 3)
        #expect(session.connected(now: at(0)) == [.send(.hello(hello))])
        #expect(session.queued(through: DeviceSequence(4)) == [])
        #expect(
            session.receive(.welcome(welcome(last: 0)), now: at(1)) == [
                .report(.welcomed(welcome(last: 0))), sendAppend(after: 0),
            ])
    }

    @Test("P2: what the log has but never answered is sent again from the first unacknowledged event")
    func resendsUnanswered() {
        let (_, actions) = live(acknowledged: 2, last: 5, logged: 4)
        #expect(actions.last == sendAppend(after: 2))
    }

    @Test("P9: as many frames as the server allows, less one, are unanswered at a time")
    func pipelines() {
        var (session, _) = live(acknowledged: 0, last: 100, window: 3)
        #expect(session.sent(0, 10) == [sendAppend(after: 10)])
        #expect(session.sent(10, 20) == [])
        let appended = Appended(throughSequence: DeviceSequence(10), version: Version(10), refused: [])
        #expect(
            session.receive(.appended(appended), now: at(2)) == [.acknowledge(appended), sendAppend(after: 20)])
    }

    @Test("P9: one frame is asked for at a time")
    func asksOnce() {
        var (session, _) = live(acknowledged: 0, last: 2)
        #expect(session.queued(through: DeviceSequence(3)) == [])
        #expect(session.sent(0, 3) == [])
        #expect(session.queued(through: DeviceSequence(4)) == [sendAppend(after: 3)])
    }

    @Test("P3: a sequence conflict begins recalling, on a new connection at once; the server's goodbye changes nothing")
    func conflict() {
        var (session, _) = live(acknowledged: 0, last: 2)
        let error = ProtocolError(.sequenceConflict, "taken", sequence: DeviceSequence(2))
        #expect(
            session.receive(.error(error), now: at(2)) == [
                .beginRecalling(.conflict(at: DeviceSequence(2))),
                .end(.reconnect(milliseconds: 0...0, cause: nil)),
            ])
        #expect(session.isClosed)
        let away = GoAway(code: .sequenceConflict, minimumBackoffMilliseconds: 0, maximumBackoffMilliseconds: 5_000)
        #expect(session.receive(.goAway(away), now: at(2)) == [])
    }

    @Test("P10: too many incarnations: appends wait as long as the server says, and rows do not wait with them")
    func tooMany() {
        var (session, _) = live(acknowledged: 0, last: 5)
        _ = session.sent(0, 5)
        let hour: UInt32 = 3_600_000
        let error = ProtocolError(.tooMany, "later", retryAfterMilliseconds: hour)
        #expect(
            session.receive(.error(error), now: at(100)) == [
                .report(.appendsDelayed(error, milliseconds: Int64(hour)))
            ])
        #expect(session.receive(.ping(1), now: at(3_600_000)) == [])
        #expect(session.tick(now: at(3_600_100)) == [sendAppend(after: 0)])
        _ = session.receive(.error(error), now: at(3_600_200))
        #expect(session.disconnected() == [.end(.reconnect(milliseconds: 60_000...120_000, cause: nil))])
    }

    @Test("E1: a store that knows less than the log was restored from a backup, and begins a new incarnation")
    func storeBehind() {
        let (_, actions) = live(acknowledged: 3, last: 3, logged: 7)
        #expect(
            actions == [
                .beginIncarnation(.storeBehind(logged: DeviceSequence(7), known: DeviceSequence(3))),
                .end(.reconnect(milliseconds: 0...0, cause: nil)),
            ])
    }

    @Test("P4, E2: after a gap everything without an answer is sent again, also what is logged below the expected one")
    func gap() {
        var (session, _) = live(acknowledged: 0, last: 30)
        _ = session.sent(0, 10)
        _ = session.sent(10, 20)
        let gap = ProtocolError(.sequenceGap, "", expected: DeviceSequence(6), sequence: DeviceSequence(11))
        // The frame that was requested before the gap no longer counts. The first five events have no answer yet, so
        // they are sent again too.
        #expect(session.receive(.error(gap), now: at(2)) == [])
        #expect(session.sent(20, 30) == [sendAppend(after: 0)])
    }

    @Test("P4: a gap after everything was sent is answered at once")
    func gapWhenIdle() {
        var (session, _) = live(acknowledged: 0, last: 20)
        _ = session.sent(0, 20)
        let gap = ProtocolError(.sequenceGap, "", expected: DeviceSequence(6), sequence: DeviceSequence(11))
        #expect(session.receive(.error(gap), now: at(2)) == [sendAppend(after: 0)])
    }

    @Test("E2: an error that passes keeps the events, and they are sent again when its time is over")
    func pausesAndResumes() {
        var (session, _) = live(acknowledged: 0, last: 5)
        _ = session.sent(0, 5)
        let error = ProtocolError(.unavailable, "later", retryAfterMilliseconds: 1_000)
        #expect(
            session.receive(.error(error), now: at(100)) == [.report(.appendsDelayed(error, milliseconds: 1_000))])
        #expect(session.deadline == at(1_100))
        #expect(session.queued(through: DeviceSequence(6)) == [])
        #expect(session.tick(now: at(1_099)) == [])
        #expect(session.tick(now: at(1_100)) == [sendAppend(after: 0)])
    }

    @Test("A connection lost while an error's time runs is not replaced before that")
    func keepsWaitingAcrossConnections() {
        var (session, _) = live(acknowledged: 0, last: 5)
        let error = ProtocolError(.overloaded, "", retryAfterMilliseconds: 2_000)
        _ = session.receive(.error(error), now: at(100))
        let actions = session.disconnected()
        #expect(actions == [.end(.reconnect(milliseconds: 2_000...4_000, cause: nil))])
    }

    @Test("S1–S3: rows are staged until the cursor comes; a whole delta is applied at once")
    func rows() {
        var (session, _) = live(acknowledged: 0, last: 0)
        let row = DeltaRow(key: RowKey(.badges, app: AppID("a.b")), version: Version(3), value: [8, 1])
        #expect(session.receive(.snapshotBegin(version: Version(3)), now: at(2)) == [.beginStaging])
        #expect(session.receive(.snapshotRows([row]), now: at(2)) == [.stage([row])])
        #expect(
            session.receive(.snapshotEnd(cursor(3)), now: at(2)) == [
                .finishSnapshot(cursor(3)), .send(.ack(Version(3))),
            ])
        #expect(session.receive(.deltaBegin(from: Version(3), to: Version(4)), now: at(2)) == [.beginStaging])
        #expect(session.receive(.deltaRows([row]), now: at(2)) == [.stage([row])])
        #expect(
            session.receive(.deltaEnd(cursor(4)), now: at(2)) == [.finishDelta(cursor(4)), .send(.ack(Version(4)))])
        #expect(
            session.receive(.delta(from: Version(4), rows: [row], cursor: cursor(5)), now: at(2)) == [
                .apply([row], cursor(5)), .send(.ack(Version(5))),
            ])
    }

    /// The server's answer to a `Resync` of badges.
    private func resynced(_ session: inout ClientSession) {
        _ = session.receive(.snapshotBegin(version: Version(3), collections: [.badges]), now: at(2))
        _ = session.receive(.snapshotEnd(cursor(3)), now: at(2))
    }

    @Test("S9: a difference is reported and asked for afresh, at most three times in a row")
    func resync() {
        var (session, _) = live(acknowledged: 0, last: 0)
        #expect(session.receive(.checkpoint(cursor(3), []), now: at(2)) == [.compare(cursor(3), [])])
        for _ in 0..<ClientSession.maximumResyncs {
            #expect(
                session.compared(cursor(3), differing: [.badges]) == [
                    .report(.diverged([.badges])), .send(.resync([.badges])),
                ])
            resynced(&session)
        }
        #expect(session.compared(cursor(3), differing: [.badges]) == [.report(.stillDiverged([.badges]))])
        #expect(session.compared(cursor(3), differing: []) == [.report(.verified(cursor(3)))])
        #expect(session.compared(cursor(4), differing: [.apps]).count == 2)
    }

    @Test("S9: checkpoints that come before the rows that were asked for are about the rows of before")
    func underWay() {
        var (session, _) = live(acknowledged: 0, last: 0)
        #expect(session.compared(cursor(3), differing: [.badges]).count == 2)
        for version in 4...8 { #expect(session.compared(cursor(Int64(version)), differing: [.badges]).isEmpty) }
        #expect(session.compared(cursor(9), differing: []) == [.report(.verified(cursor(9)))])
        #expect(session.compared(cursor(10), differing: [.apps]).isEmpty)
        resynced(&session)
        #expect(session.compared(cursor(10), differing: [.apps]).count == 2)
    }

    @Test("S9: where the view holds none of what differs no rows come, and the next checkpoint is compared")
    func outsideOfTheView() {
        var filtered = hello
        filtered.collections = [.badges]
        var session = ClientSession(
            hello: filtered, queue: QueueRange(acknowledged: .zero, last: .zero))
        _ = session.connected(now: at(0))
        _ = session.receive(.welcome(welcome(last: 0)), now: at(1))
        for _ in 0..<ClientSession.maximumResyncs {
            #expect(session.compared(cursor(3), differing: [.apps]).count == 2)
        }
        #expect(session.compared(cursor(3), differing: [.apps]) == [.report(.stillDiverged([.apps]))])
    }

    @Test("S9: the store is told which collections a snapshot is of")
    func partialSnapshot() {
        var (session, _) = live(acknowledged: 0, last: 0)
        let begin = ServerMessage.snapshotBegin(version: Version(3), collections: [.badges])
        #expect(session.receive(begin, now: at(2)) == [.beginStaging])
        #expect(
            session.receive(.snapshotEnd(cursor(3)), now: at(2)) == [
                .finishSnapshot(cursor(3), replacing: [.badges]), .send(.ack(Version(3))),
            ])
        #expect(session.receive(.snapshotBegin(version: Version(4)), now: at(2)) == [.beginStaging])
        #expect(session.receive(.snapshotEnd(cursor(4)), now: at(2)).first == .finishSnapshot(cursor(4)))
    }

    @Test("A2: a warning asks for a new token; the answer to Renew does not; a refusal changes nothing")
    func renewal() {
        var (session, _) = live(acknowledged: 0, last: 0)
        func expiry(_ seconds: Int64) -> ServerMessage {
            .tokenExpiry(Timestamp(microseconds: seconds * 1_000_000), serverTime: Timestamp(microseconds: 0))
        }
        #expect(
            session.receive(expiry(60), now: at(2)) == [.report(.tokenExpires(inMilliseconds: 60_000)), .getToken])
        #expect(session.renew("new") == [.send(.renew(token: "new"))])
        #expect(session.receive(expiry(30), now: at(2)) == [.report(.tokenExpires(inMilliseconds: 30_000))])
        #expect(session.receive(expiry(30), now: at(3)).last == .getToken)
        _ = session.renew("bad")
        let refused = ProtocolError(.unauthenticated, "no")
        #expect(session.receive(.error(refused), now: at(4)) == [.report(.serverError(refused))])
        #expect(
            session.receive(.error(refused), now: at(5)) == [.end(.tokenRefused(refused, milliseconds: nil))])
    }

    @Test("L4: silence for two intervals ends the connection; anything heard counts")
    func silence() {
        var (session, _) = live(acknowledged: 0, last: 0)
        #expect(session.receive(.ping(1), now: at(10_000)) == [])
        #expect(session.tick(now: at(50_000)) == [])
        let actions = session.tick(now: at(10_000 + 55_000))
        guard case .end(.reconnect(nil, let cause)) = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(cause?.code == .heartbeatTimeout)
    }

    @Test("L5: a device that is sent away comes back within the bounds that the server names")
    func goAway() {
        var (session, _) = live(acknowledged: 0, last: 0)
        let away = GoAway(code: .shuttingDown, minimumBackoffMilliseconds: 500, maximumBackoffMilliseconds: 5_000)
        guard case .end(.reconnect(let bounds, _)) = session.receive(.goAway(away), now: at(2)).first else {
            Issue.record("not ended")
            return
        }
        #expect(bounds == 500...5_000)
    }

    @Test("A2, L5: one whose token is over comes back with another, within the bounds that the server names")
    func tokenOver() {
        var (session, _) = live(acknowledged: 0, last: 0)
        let away = GoAway(code: .tokenExpired, minimumBackoffMilliseconds: 500, maximumBackoffMilliseconds: 5_000)
        guard case .end(.tokenRefused(let error, let bounds)) = session.receive(.goAway(away), now: at(2)).first else {
            Issue.record("not ended")
            return
        }
        #expect(error.code == .tokenExpired && bounds == 500...5_000)
    }

    @Test("Q5: past a quota few events are sent at a time, and more again while the server takes all of them")
    func quota() {
        var (session, _) = live(acknowledged: 0, last: 10_000)
        _ = session.sent(0, 100)
        let error = ProtocolError(.quotaExceeded, "later", retryAfterMilliseconds: 432)
        _ = session.receive(.error(error), now: at(100))
        func few(_ after: Int64, _ bytes: Int) -> [ClientAction] {
            [.sendAppend(after: DeviceSequence(after), maximumBytes: bytes)]
        }
        // One frame at a time.
        #expect(session.sent(100, 200) == [])
        #expect(session.tick(now: at(600)) == few(0, 1_024))
        #expect(session.sent(0, 4) == [])
        // A part of it was taken, and the rest is past the quota again.
        let part = Appended(throughSequence: DeviceSequence(1), version: Version(1), refused: [])
        #expect(session.receive(.appended(part), now: at(601)) == [.acknowledge(part)])
        _ = session.receive(.error(error), now: at(602))
        #expect(session.tick(now: at(1_102)) == few(1, 1_024))
        #expect(session.sent(1, 5) == [])
        var (bytes, last) = (2_048, Int64(5))
        while bytes < 512 * 1_024 {
            let whole = Appended(throughSequence: DeviceSequence(last), version: Version(last), refused: [])
            #expect(
                session.receive(.appended(whole), now: at(1_103)) == [.acknowledge(whole)] + few(last, bytes))
            #expect(session.sent(last, last + 4) == [])
            (bytes, last) = (2 * bytes, last + 4)
        }
        let whole = Appended(throughSequence: DeviceSequence(last), version: Version(last), refused: [])
        _ = session.receive(.appended(whole), now: at(1_104))
        #expect(session.sent(last, last + 100) == [sendAppend(after: last + 100)], "several at a time again")
    }

    @Test("A server that answers pings and nothing else for two minutes is left; one that answers slowly is not")
    func unanswered() {
        var (session, _) = live(acknowledged: 0, last: 20)
        _ = session.sent(0, 10)
        #expect(session.sent(10, 20) == [])
        func ping(until end: Int64) {
            for second in stride(from: end - 110_000, to: end, by: 10_000) {
                #expect(session.receive(.ping(1), now: at(second)) == [])
            }
        }
        ping(until: 119_000)
        let appended = Appended(throughSequence: DeviceSequence(10), version: Version(10), refused: [])
        #expect(session.receive(.appended(appended), now: at(119_000)) == [.acknowledge(appended)])
        ping(until: 230_000)
        #expect(session.deadline == at(239_000))
        #expect(session.tick(now: at(238_999)) == [])
        guard case .end(.reconnect(nil, let cause)) = session.tick(now: at(239_000)).first else {
            Issue.record("not ended")
            return
        }
        #expect(cause?.code == .heartbeatTimeout)
        // Nothing was asked: nothing is missed.
        (session, _) = live(acknowledged: 0, last: 0)
        ping(until: 230_000)
        #expect(session.tick(now: at(239_000)) == [] && session.deadline > at(239_000))
    }

    @Test("A3: a device that was sent away as not accepted asks why; one that is told that it was revoked stays away")
    func revoked() {
        var (session, _) = live(acknowledged: 0, last: 0)
        let away = GoAway(code: .unauthenticated, minimumBackoffMilliseconds: 500, maximumBackoffMilliseconds: 5_000)
        guard case .end(.reconnect(let bounds, _)) = session.receive(.goAway(away), now: at(2)).first else {
            Issue.record("it does not come back")
            return
        }
        #expect(bounds == 500...5_000)
        (session, _) = live(acknowledged: 0, last: 0)
        #expect(session.receive(.error(.deviceRevoked), now: at(2)) == [.end(.failed(.deviceRevoked))])
    }

    @Test(
        "P8, W2: a device that was superseded, or speaks another protocol, stays away",
        arguments: [
            ServerMessage.goAway(
                GoAway(code: .superseded, minimumBackoffMilliseconds: 0, maximumBackoffMilliseconds: 0)),
            .error(ProtocolError(.protocolUnsupported, "no")),
        ])
    func staysAway(message: ServerMessage) {
        var (session, _) = live(acknowledged: 0, last: 0)
        guard case .end(.failed) = session.receive(message, now: at(2)).first else {
            Issue.record("not ended")
            return
        }
        #expect(session.receive(.ping(1), now: at(3)) == [])
    }
}

// MARK: Fixtures

private let hello = Hello(
    minimumProtocol: 1, maximumProtocol: 1, token: "t", deviceClass: .phone, incarnation: Incarnation(7), cursor: nil,
    collections: [])

private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

private func makeSession(acknowledged: Int64, last: Int64) -> ClientSession {
    ClientSession(
        hello: hello, queue: QueueRange(acknowledged: DeviceSequence(acknowledged), last: DeviceSequence(last)))
}

private func welcome(last: Int64, window: UInt32 = 64) -> Welcome {
    Welcome(
        protocolVersion: 1, session: "s", log: Fixture.log, lastSequence: DeviceSequence(last),
        maximumFrameBytes: 1 << 20, maximumUnacknowledgedAppends: window, heartbeatMilliseconds: 25_000,
        serverTime: Timestamp(microseconds: 0))
}

/// A session that has received Welcome, and its actions at that moment.
private func live(
    acknowledged: Int64, last: Int64, logged: Int64? = nil, window: UInt32 = 64
) -> (ClientSession, [ClientAction]) {
    var session = makeSession(acknowledged: acknowledged, last: last)
    _ = session.connected(now: at(0))
    let actions = session.receive(.welcome(welcome(last: logged ?? acknowledged, window: window)), now: at(1))
    return (session, actions)
}

private func sendAppend(after sequence: Int64) -> ClientAction {
    .sendAppend(after: DeviceSequence(sequence), maximumBytes: 256 * 1024)
}

extension ClientSession {
    fileprivate mutating func sent(_ after: Int64, _ last: Int64) -> [ClientAction] {
        appendSent(after: DeviceSequence(after), through: DeviceSequence(last))
    }
}

private func cursor(_ version: Int64) -> Cursor { Fixture.cursor(version) }
