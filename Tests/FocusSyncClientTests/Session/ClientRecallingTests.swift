import FocusCore
import Foundation
import Testing

@testable import FocusSyncClient

@Suite("ClientSession, recalling") struct ClientRecallingTests {
    private let hello = Hello(
        minimumProtocol: 1, maximumProtocol: 2, token: "t", deviceClass: .phone, incarnation: Incarnation(7),
        cursor: nil,
        collections: [])
    private let reconnect = ClientAction.end(.reconnect(milliseconds: 0...0, cause: nil))

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }
    private func id(_ number: Int64) -> EventID { Fixture.cursor(number).event }

    private func welcome(_ last: Int64, _ event: Int64? = nil, isEnded: Bool = false, protocol version: UInt32 = 2)
        -> Welcome
    {
        Welcome(
            protocolVersion: version, session: "s", log: Fixture.log, lastSequence: DeviceSequence(last),
            lastEvent: event.map(id), isEnded: isEnded, maximumFrameBytes: 1 << 20, maximumUnacknowledgedAppends: 64,
            heartbeatMilliseconds: 25_000, serverTime: Timestamp(microseconds: 0))
    }

    private func live(
        acknowledged: Int64, last: Int64, answered: Int64? = nil, isRecalling: Bool = false, _ welcome: Welcome
    ) -> (ClientSession, [ClientAction]) {
        let queue = QueueRange(acknowledged: DeviceSequence(acknowledged), last: DeviceSequence(last))
        var session = ClientSession(hello: hello, queue: queue, answered: answered.map(id), isRecalling: isRecalling)
        _ = session.connected(now: at(0))
        let actions = session.receive(.welcome(welcome), now: at(1))
        return (session, actions)
    }

    private func append(after sequence: Int64) -> ClientAction {
        .sendAppend(after: DeviceSequence(sequence), maximumBytes: 256 * 1024)
    }

    private func recall(_ first: Int64, _ count: Int64) -> Recall {
        Recall(
            incarnation: Incarnation(7), firstSequence: DeviceSequence(first), events: (first..<first + count).map(id))
    }

    private func recalled(_ first: Int64, _ outcomes: [Outcome?]) -> Recalled {
        Recalled(
            incarnation: Incarnation(7), firstSequence: DeviceSequence(first), outcomes: outcomes, version: Version(9))
    }

    private func position(_ place: Int64) -> RecallPosition {
        var position = RecallPosition()
        (position.place, position.through) = (place, 99)
        return position
    }

    @Test("P10: a store with unanswered events does not judge ids: it appends, and the answer tells")
    func doesNotJudge() {
        #expect(live(acknowledged: 3, last: 5, answered: 3, welcome(5, 77)).1.last == append(after: 3))
        #expect(live(acknowledged: 3, last: 5, answered: 3, welcome(4, 77)).1.last == append(after: 3))
        #expect(live(acknowledged: 3, last: 5, answered: 3, welcome(3, 3)).1.last == append(after: 3))
    }

    @Test("P10: more in the log than the store ever made, and an ended incarnation, begin recalling at once")
    func begins() {
        let behind = IncarnationReason.storeBehind(logged: DeviceSequence(6), known: DeviceSequence(5))
        #expect(
            live(acknowledged: 3, last: 5, welcome(6, 77)).1.dropFirst() == [
                .beginRecalling(behind), .sendRecall(RecallPosition()),
            ])
        #expect(
            live(acknowledged: 3, last: 5, welcome(4, 4, isEnded: true)).1.dropFirst() == [
                .beginRecalling(.ended), .sendRecall(RecallPosition()),
            ])
    }

    @Test("P10: without unanswered events a new incarnation begins, and nothing is asked")
    func nothingToAsk() {
        let behind = IncarnationReason.storeBehind(logged: DeviceSequence(4), known: DeviceSequence(3))
        #expect(live(acknowledged: 3, last: 3, welcome(4, 77)).1 == [.beginIncarnation(behind), reconnect])
        #expect(
            live(acknowledged: 3, last: 3, welcome(3, 3, isEnded: true)).1 == [.beginIncarnation(.ended), reconnect])
    }

    @Test("P10: everything is asked for, one question at a time, then the store goes on in a new incarnation")
    func asks() {
        var (session, actions) = live(acknowledged: 3, last: 9, isRecalling: true, welcome(9, 77))
        #expect(actions.last == .sendRecall(RecallPosition()))
        #expect(session.queued(through: DeviceSequence(10)) == [])
        #expect(session.recallSent(recall(4, 3), next: position(6)) == [.send(.recall(recall(4, 3)))])
        let first = recalled(4, [.accepted, nil, nil])
        #expect(
            session.receive(.recalled(first), now: at(2)) == [
                .keepRecalled(first, recall(4, 3)), .sendRecall(position(6)),
            ])
        #expect(session.recallSent(recall(7, 3), next: position(9)) == [.send(.recall(recall(7, 3)))])
        // The answer covers one of the three events.
        let second = recalled(7, [.refused(code: "c", message: "m")])
        #expect(
            session.receive(.recalled(second), now: at(3)) == [
                .keepRecalled(second, recall(7, 3)), .send(.recall(recall(8, 2))),
            ])
        let third = recalled(8, [nil, nil])
        #expect(
            session.receive(.recalled(third), now: at(4)) == [
                .keepRecalled(third, recall(8, 2)), .sendRecall(position(9)),
            ])
        var report = RecallReport()
        (report.held, report.moved) = (2, 4)
        #expect(
            session.recallSent(nil, next: position(9)) == [.endRecalling(report, offersHeld: true), reconnect])
        #expect(session.isClosed)
    }

    @Test("P10: an error that passes pauses the questions; the one that it is about is asked again")
    func pauses() {
        var (session, _) = live(acknowledged: 3, last: 9, isRecalling: true, welcome(9))
        _ = session.recallSent(recall(4, 3), next: position(6))
        let error = ProtocolError(.overloaded, "later", retryAfterMilliseconds: 1_000, sequence: DeviceSequence(4))
        #expect(
            session.receive(.error(error), now: at(100)) == [.report(.appendsDelayed(error, milliseconds: 1_000))])
        #expect(session.deadline == at(1_100))
        #expect(session.tick(now: at(1_099)) == [])
        #expect(session.tick(now: at(1_100)) == [.send(.recall(recall(4, 3)))])
        _ = session.receive(.error(error), now: at(1_200))
        #expect(session.disconnected() == [.end(.reconnect(milliseconds: 1_000...2_000, cause: nil))])
    }

    @Test("P10: an incarnation of another scope holds nothing of this one: the next question follows")
    func foreign() {
        var (session, _) = live(acknowledged: 0, last: 9, isRecalling: true, welcome(0))
        _ = session.recallSent(recall(4, 3), next: position(6))
        let error = ProtocolError(.sequenceConflict, "another scope's", sequence: DeviceSequence(4))
        #expect(session.receive(.error(error), now: at(2)) == [.sendRecall(position(6))])
        var report = RecallReport()
        report.moved = 3
        #expect(
            session.recallSent(nil, next: position(6)) == [.endRecalling(report, offersHeld: true), reconnect])
    }

    @Test("P10: instead of Welcome, a conflict says that nothing of the incarnation is this store's")
    func conflictBeforeWelcome() {
        let queue = QueueRange(acknowledged: .zero, last: DeviceSequence(3))
        var session = ClientSession(hello: hello, queue: queue)
        _ = session.connected(now: at(0))
        let error = ProtocolError(.sequenceConflict, "another scope's")
        #expect(
            session.receive(.error(error), now: at(1)) == [.endRecalling(RecallReport(), offersHeld: true), reconnect])
    }

    @Test("P10: a server of protocol 1 is neither asked nor given anything, and that is said once")
    func waits() {
        var (session, actions) = live(acknowledged: 3, last: 9, isRecalling: true, welcome(9, protocol: 1))
        #expect(actions.last == .report(.recallWaits))
        #expect(session.queued(through: DeviceSequence(10)) == [])
        #expect(session.receive(.ping(1), now: at(2)) == [])
        let row = DeltaRow(key: RowKey(.badges, app: AppID("a.b")), version: Version(3), value: [8, 1])
        let delta = ServerMessage.delta(from: Version(0), rows: [row], cursor: Fixture.cursor(3))
        #expect(session.receive(delta, now: at(3)).count == 2)
        #expect(!session.mayReport)
        // An error makes no difference, and nobody ticks for it again and again.
        let error = ProtocolError(.unavailable, "later", retryAfterMilliseconds: 1_000)
        _ = session.receive(.error(error), now: at(10))
        #expect(session.tick(now: at(1_010)) == [] && session.deadline > at(1_010))
        (session, actions) = live(acknowledged: 3, last: 5, welcome(6, protocol: 1))
        let behind = IncarnationReason.storeBehind(logged: DeviceSequence(6), known: DeviceSequence(5))
        #expect(actions.dropFirst() == [.beginRecalling(behind), .report(.recallWaits)])
    }

    @Test("P10: an answer to what was not asked ends the connection, or counts for nothing")
    func strangeAnswers() {
        var (session, _) = live(acknowledged: 3, last: 9, isRecalling: true, welcome(9))
        #expect(session.receive(.recalled(recalled(4, [nil])), now: at(2)) == [])
        _ = session.recallSent(recall(4, 3), next: position(6))
        #expect(session.receive(.recalled(recalled(5, [nil])), now: at(2)) == [])
        for outcomes in [[], [nil, nil, nil, nil]] as [[Outcome?]] {
            var copy = session
            guard case .end(.failed) = copy.receive(.recalled(recalled(4, outcomes)), now: at(3)).first else {
                Issue.record("\(outcomes)")
                return
            }
        }
    }

    @Test("P10: another log is not told to end incarnations: it knows none of them, and begins 16 a day")
    func endsNothingElsewhere() {
        for log in [welcome(0).log, LogID(UUID())] {
            let queue = QueueRange(acknowledged: .zero, last: DeviceSequence(1))
            let ended = [EndedIncarnation(Incarnation(3), place: 0)]
            var session = ClientSession(hello: hello, queue: queue, ended: ended, log: log)
            _ = session.connected(now: at(0))
            let actions = session.receive(.welcome(welcome(0, protocol: 2)), now: at(1))
            #expect(actions.contains(append(after: 0)) == (log != welcome(0).log))
        }
    }

    @Test("P10: where nothing is acknowledged, ended incarnations are ended again before the first Append, not before")
    func endsBeforeAppend() {
        let ended = [3, 4].map { EndedIncarnation(Incarnation($0), place: 0) }
        func open(acknowledged: Int64, last: Int64, protocol version: UInt32 = 2) -> (ClientSession, [ClientAction]) {
            let queue = QueueRange(acknowledged: DeviceSequence(acknowledged), last: DeviceSequence(last))
            var session = ClientSession(hello: hello, queue: queue, ended: ended)
            _ = session.connected(now: at(0))
            let actions = session.receive(.welcome(welcome(acknowledged, protocol: version)), now: at(1))
            return (session, Array(actions.dropFirst()))
        }
        func end(_ incarnation: Int64) -> ClientAction {
            .send(.recall(Recall(incarnation: Incarnation(incarnation), firstSequence: DeviceSequence(1), events: [])))
        }
        func answer(_ incarnation: Int64) -> ServerMessage {
            .recalled(
                Recalled(
                    incarnation: Incarnation(incarnation), firstSequence: DeviceSequence(1), outcomes: [],
                    version: Version(1)))
        }
        #expect(open(acknowledged: 2, last: 5).1 == [append(after: 2)])
        #expect(open(acknowledged: 0, last: 5, protocol: 1).1 == [append(after: 0)])
        var (session, actions) = open(acknowledged: 0, last: 0)
        #expect(actions == [])
        #expect(session.queued(through: DeviceSequence(1)) == [end(3)])
        #expect(session.queued(through: DeviceSequence(2)) == [])
        let wait = ProtocolError(.tooMany, "wait", retryAfterMilliseconds: 2_000, sequence: DeviceSequence(1))
        #expect(
            session.receive(.error(wait), now: at(10)) == [.report(.appendsDelayed(wait, milliseconds: 2_000))])
        #expect(session.queued(through: DeviceSequence(3)) == [])
        #expect(session.tick(now: at(2_010)) == [end(3)])
        #expect(session.receive(answer(4), now: at(2_011)) == [], "it was not asked for")
        #expect(session.receive(answer(3), now: at(2_012)) == [end(4)])
        // The incarnation belongs to another scope.
        let conflict = ProtocolError(.sequenceConflict, "no", sequence: DeviceSequence(1))
        #expect(session.receive(.error(conflict), now: at(2_013)) == [append(after: 0)])
        // A server that no longer knows Recall cannot end anything; sending events matters more.
        (session, actions) = open(acknowledged: 0, last: 1)
        #expect(actions == [end(3)])
        let unknown = ProtocolError(.unknownMessage, "what?")
        #expect(session.receive(.error(unknown), now: at(2_014)) == [append(after: 0)])
    }

    @Test("P10: another log is not asked: the queue goes to it in a new incarnation")
    func otherLog() {
        var other = hello
        other.cursor = Fixture.cursor(9)
        let queue = QueueRange(acknowledged: .zero, last: DeviceSequence(3))
        var session = ClientSession(hello: other, queue: queue, isRecalling: true)
        _ = session.connected(now: at(0))
        var welcome = welcome(0)
        welcome.log = LogID(Fixture.user(3).uuid)
        #expect(
            session.receive(.welcome(welcome), now: at(1)) == [
                .beginIncarnation(.otherLog(logged: .zero, acknowledged: .zero)), reconnect,
            ])
    }
}
