import FocusCore
import Testing

@testable import FocusSyncClient

/// What protocol 2 tells more at Welcome: the last event, and whether the incarnation has ended.
extension ClientHealingTests {
    private func live2(
        acknowledged: Int64 = 9, last: Int64 = 9, answered: Int64? = 9, logged: Int64, event: Int64?,
        isEnded: Bool = false,
        isBehind: Bool = false, isHealing: Bool = false, isRecalling: Bool = false, ended: [EndedIncarnation] = []
    ) -> (ClientSession, [ClientAction]) {
        var welcome = welcome(logged, isBehind: isBehind)
        welcome.protocolVersion = 2
        welcome.lastEvent = event.map { Fixture.cursor($0).event }
        welcome.isEnded = isEnded
        let queue = QueueRange(acknowledged: DeviceSequence(acknowledged), last: DeviceSequence(last))
        var session = ClientSession(
            hello: hello, queue: queue, answered: answered.map { Fixture.cursor($0).event }, isHealing: isHealing,
            isRecalling: isRecalling, ended: ended)
        _ = session.connected(now: at(0))
        let actions = session.receive(.welcome(welcome), now: at(1))
        // These tests do not look at reports.
        return (session, actions.filter { if case .report = $0 { false } else { true } })
    }

    @Test(
        "S6: another event where the last one was acknowledged is a reason; one that cannot be named, or compared, is none"
    )
    func otherEvent() {
        #expect(live2(logged: 9, event: 8).1.first == .beginHealing(logged: DeviceSequence(9)))
        #expect(live2(logged: 9, event: 9).1 == [])
        #expect(live2(logged: 9, event: nil).1 == [])
        #expect(live2(answered: nil, logged: 9, event: 8).1 == [])
    }

    @Test(
        "S6, P10: after another event stood in an acknowledged place, the incarnation is left when the healing is through"
    )
    func leavesAfterHealing() {
        var (session, _) = live2(logged: 9, event: 8)
        let reason = IncarnationReason.conflict(at: DeviceSequence(9))
        #expect(
            session.healingSent(nil, next: position(9, 10, 9)) == [
                .endHealing(HealingReport()), .beginIncarnation(reason),
                .end(.reconnect(milliseconds: 0...0, cause: nil)),
            ])
        (session, _) = live2(last: 11, logged: 9, event: 8)
        #expect(
            session.healingSent(nil, next: position(9, 10, 9)) == [
                .endHealing(HealingReport()), .beginRecalling(reason), .sendRecall(RecallPosition()),
            ])
    }

    @Test("S6, P10: a server that leaves unanswered for two minutes that an incarnation ends again is left")
    func unansweredEnd() {
        let ended = [EndedIncarnation(Incarnation(3), place: 2)]
        var (session, _) = live2(logged: 9, event: 8, ended: ended)
        let asked = session.healingSent(nil, next: position(2, 1, 9))
        #expect(
            asked == [.send(.recall(Recall(incarnation: Incarnation(3), firstSequence: DeviceSequence(1), events: [])))]
        )
        for second in stride(from: 10_000, through: 130_000, by: 10_000) {
            _ = session.receive(.ping(1), now: at(Int64(second)))
        }
        guard case .end(.reconnect(nil, let cause)) = session.tick(now: at(130_001)).first else {
            Issue.record("not ended")
            return
        }
        #expect(cause?.code == .heartbeatTimeout)
    }

    @Test(
        "S6, P10: each ended incarnation is ended again when what is held of it was taken, before later ones are offered"
    )
    func endsAgain() {
        let ended = [EndedIncarnation(Incarnation(3), place: 2), EndedIncarnation(Incarnation(4), place: 5)]
        func recall(_ index: Int) -> ClientAction {
            .send(
                .recall(Recall(incarnation: ended[index].incarnation, firstSequence: DeviceSequence(1), events: [])))
        }
        func through(_ place: Int64?, after sent: Int64) -> HealingPosition {
            var position = position(sent, 5)
            position.through = place
            return position
        }
        var (session, actions) = live2(logged: 4, event: 4, ended: ended)
        #expect(actions == [.beginHealing(logged: DeviceSequence(4)), ask(through(2, after: 0))])
        let offer = reoffer(1, 2, incarnation: 3)
        #expect(session.healingSent(offer, next: through(2, after: 2)) == [ask(through(2, after: 2))])
        #expect(session.healingSent(nil, next: through(2, after: 2)) == [], "it may have to be offered once more")
        let taken = appended(2, incarnation: 3)
        #expect(session.receive(.appended(taken), now: at(2)) == [.keepHealed(taken, offer), recall(0)])
        let error = ProtocolError(.unavailable, "later", retryAfterMilliseconds: 1_000, sequence: DeviceSequence(1))
        _ = session.receive(.error(error), now: at(2))
        #expect(session.tick(now: at(1_002)) == [recall(0)])
        let answer = Recalled(
            incarnation: Incarnation(3), firstSequence: DeviceSequence(1), outcomes: [], version: Version(1))
        #expect(session.receive(.recalled(answer), now: at(1_003)) == [ask(through(5, after: 2))])
        #expect(session.healingSent(nil, next: through(5, after: 2)) == [recall(1)])
        // The incarnation belongs to another scope, so there is nothing to end.
        let conflict = ProtocolError(.sequenceConflict, "no", sequence: DeviceSequence(1))
        #expect(session.receive(.error(conflict), now: at(1_004)) == [ask(through(nil, after: 2))])
        #expect(session.healingSent(nil, next: through(nil, after: 2)) == [.endHealing(report(2))])
    }

    private func report(_ events: Int) -> HealingReport {
        var report = HealingReport()
        report.events = events
        return report
    }

    @Test("S6: a server of protocol 1 is told of no end")
    func protocol1() {
        var welcome = welcome(4)
        welcome.protocolVersion = 1
        let queue = QueueRange(acknowledged: DeviceSequence(9), last: DeviceSequence(9))
        var session = ClientSession(hello: hello, queue: queue, ended: [EndedIncarnation(Incarnation(3), place: 1)])
        _ = session.connected(now: at(0))
        #expect(session.receive(.welcome(welcome), now: at(1)).last == ask(position(0, 5)))
    }

    @Test("S6, P10: events whose places are others' are unanswered again, and recalled when the healing is through")
    func displaced() {
        var (session, _) = live2(logged: 4, event: 4)
        let offer = reoffer(5, 3)
        _ = session.healingSent(offer, next: position(7, 8))
        let id = Fixture.cursor(1).event
        let refused = [5, 6].map {
            RefusedEvent(sequence: DeviceSequence($0), event: id, code: "sequence_conflict", message: "taken")
        }
        let answer = Appended(throughSequence: DeviceSequence(7), version: Version(50), refused: refused)
        #expect(session.receive(.appended(answer), now: at(2)) == [.keepHealed(answer, offer)])
        var report = HealingReport()
        (report.events, report.displaced) = (1, 2)
        #expect(
            session.healingSent(nil, next: position(7, 8)) == [
                .endHealing(report), .beginRecalling(.displaced), .sendRecall(RecallPosition()),
            ])
    }

    @Test("S6: of an ended incarnation nothing is declared lost")
    func endedLosesNothing() {
        let (_, actions) = live2(logged: 4, event: 4, isEnded: true)
        var expected = position(0, 5)
        expected.mayLose = false
        #expect(actions.last == ask(expected))
    }

    @Test("S6, P10: a store that was both healing and recalling heals first")
    func healsFirst() {
        var (session, actions) = live2(last: 12, logged: 9, event: 9, isHealing: true, isRecalling: true)
        #expect(actions.first == .beginHealing(logged: DeviceSequence(9)))
        #expect(
            session.healingSent(nil, next: position(9, 10, 9)) == [
                .endHealing(HealingReport()), .sendRecall(RecallPosition()),
            ])
        (session, actions) = live2(last: 12, logged: 12, event: 12, isBehind: true, isRecalling: true)
        #expect(actions.first == .beginHealing(logged: DeviceSequence(12)))
    }
}
