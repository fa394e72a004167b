import FocusCore
import Testing

@testable import FocusSyncClient

@Suite("ClientSession, healing") struct ClientHealingTests {
    let hello = Hello(
        minimumProtocol: 1, maximumProtocol: 1, token: "t", deviceClass: .phone, incarnation: Incarnation(7),
        cursor: Fixture.cursor(9), collections: [])

    func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    func welcome(_ last: Int64, isBehind: Bool = false, log: LogID = Fixture.log, window: UInt32 = 64)
        -> Welcome
    {
        Welcome(
            protocolVersion: 1, session: "s", log: log, lastSequence: DeviceSequence(last), logIsBehind: isBehind,
            maximumFrameBytes: 1 << 20, maximumUnacknowledgedAppends: window, heartbeatMilliseconds: 25_000,
            serverTime: Timestamp(microseconds: 0))
    }

    private func live(
        acknowledged: Int64 = 9, last: Int64 = 12, _ welcome: Welcome, isHealing: Bool = false
    ) -> (ClientSession, [ClientAction]) {
        let queue = QueueRange(acknowledged: DeviceSequence(acknowledged), last: DeviceSequence(last))
        var session = ClientSession(hello: hello, queue: queue, isHealing: isHealing)
        _ = session.connected(now: at(0))
        let actions = session.receive(.welcome(welcome), now: at(1))
        return (session, actions)
    }

    func position(_ place: Int64, _ next: Int64, _ logged: Int64 = 4) -> HealingPosition {
        HealingPosition(place: place, next: DeviceSequence(next), logged: DeviceSequence(logged))
    }

    func ask(_ position: HealingPosition) -> ClientAction {
        .sendHealing(position, maximumBytes: 256 * 1024)
    }

    func reoffer(_ first: Int64, _ count: Int, incarnation: Int64 = 7) -> HealRequest {
        let envelope = Envelope(
            id: Fixture.cursor(1).event, type: "t", app: nil, occurredAt: Fixture.clock, schemaVersion: 1, payload: [])
        return .reoffer(
            Reoffer(
                incarnation: Incarnation(incarnation), firstSequence: DeviceSequence(first),
                events: Array(repeating: Reoffer.Offered(envelope: envelope, outcome: .accepted), count: count),
                code: [1]))
    }

    func appended(_ through: Int64, incarnation: Int64? = nil) -> Appended {
        Appended(
            throughSequence: DeviceSequence(through), version: Version(50), refused: [],
            incarnation: incarnation.map { Incarnation($0) })
    }

    @Test("S6: a log that lost acknowledged events gets them back before the queue goes on, in the same incarnation")
    func heals() {
        var (session, actions) = live(welcome(4))
        #expect(
            actions == [
                .report(.welcomed(welcome(4))), .beginHealing(logged: DeviceSequence(4)), ask(position(0, 5)),
            ])
        #expect(session.queued(through: DeviceSequence(13)) == [])
        let (first, second) = (reoffer(5, 2), reoffer(7, 3))
        #expect(session.healingSent(first, next: position(6, 7)) == [ask(position(6, 7))])
        #expect(session.healingSent(second, next: position(9, 10)) == [ask(position(9, 10))])
        #expect(session.healingSent(nil, next: position(9, 10)) == [])
        #expect(session.receive(.appended(appended(6)), now: at(2)) == [.keepHealed(appended(6), first)])
        var report = HealingReport()
        report.events = 5
        #expect(
            session.receive(.appended(appended(9)), now: at(3)) == [
                .keepHealed(appended(9), second), .endHealing(report),
                .sendAppend(after: DeviceSequence(9), maximumBytes: 256 * 1024),
            ])
    }

    @Test("S6, L6: use is not reported while a healing waits for answers: they could be taken for each other")
    func reportsWait() {
        var (session, _) = live(welcome(4))
        #expect(!session.mayReport)
        _ = session.healingSent(reoffer(5, 5), next: position(9, 10))
        _ = session.healingSent(nil, next: position(9, 10))
        #expect(!session.mayReport)
        _ = session.receive(.appended(appended(9)), now: at(2))
        #expect(session.mayReport)
    }

    @Test("S6: a cursor that the log does not know, and a healing that was cut off, are reasons as well")
    func reasons() {
        #expect(live(welcome(9, isBehind: true)).1.contains(.beginHealing(logged: DeviceSequence(9))))
        #expect(live(welcome(9), isHealing: true).1.contains(.beginHealing(logged: DeviceSequence(9))))
        #expect(!live(welcome(9)).1.contains(.beginHealing(logged: DeviceSequence(9))))
    }

    @Test("S6: another log is not healed: the device begins a new incarnation there")
    func otherLog() {
        let other = welcome(0, log: LogID(Fixture.user(3).uuid))
        #expect(
            live(other).1 == [
                .beginIncarnation(.otherLog(logged: .zero, acknowledged: DeviceSequence(9))),
                .end(.reconnect(milliseconds: 0...0, cause: nil)),
            ])
    }

    @Test("S6: another log is known as one before the first snapshot too")
    func otherLogWithoutCursor() {
        let other = welcome(0, log: LogID(Fixture.user(3).uuid))
        var hello = hello
        hello.cursor = nil
        var session = ClientSession(
            hello: hello, queue: QueueRange(acknowledged: DeviceSequence(9), last: DeviceSequence(9)),
            log: LogID(Fixture.user(4).uuid))
        _ = session.connected(now: at(0))
        #expect(
            session.receive(.welcome(other), now: at(1)) == [
                .beginIncarnation(.otherLog(logged: .zero, acknowledged: DeviceSequence(9))),
                .end(.reconnect(milliseconds: 0...0, cause: nil)),
            ])
    }

    @Test("S6: a healing that a new incarnation is to begin is not begun in another log, nor on a later connection")
    func otherLogWhileHealing() {
        let other = welcome(0, log: LogID(Fixture.user(3).uuid))
        #expect(
            live(acknowledged: 0, last: 3, other, isHealing: true).1 == [
                .beginIncarnation(.otherLog(logged: .zero, acknowledged: .zero)),
                .end(.reconnect(milliseconds: 0...0, cause: nil)),
            ])
        #expect(
            live(acknowledged: 0, last: 3, other).1 == [
                .report(.welcomed(other)), .sendAppend(after: .zero, maximumBytes: 256 * 1024),
            ])
    }

    @Test("S6: what the log lacks of an earlier incarnation, and the store too, is declared lost")
    func gapOfEarlierIncarnation() {
        var (session, _) = live(welcome(9, isBehind: true))
        let offer = reoffer(40, 2, incarnation: 3)
        _ = session.healingSent(offer, next: position(2, 10, 9))
        _ = session.healingSent(nil, next: position(2, 10, 9))
        let gap = ProtocolError(.sequenceGap, "", expected: DeviceSequence(38), sequence: DeviceSequence(40))
        let lost = LostEvents(incarnation: Incarnation(3), first: DeviceSequence(38), last: DeviceSequence(39))
        #expect(
            session.receive(.error(gap), now: at(2)) == [.send(.heal(.lost(lost))), ask(position(0, 10, 9))])
        _ = session.healingSent(offer, next: position(2, 10, 9))
        _ = session.healingSent(nil, next: position(2, 10, 9))
        _ = session.receive(.appended(appended(39, incarnation: 3)), now: at(3))
        var report = HealingReport()
        (report.events, report.lost) = (2, [lost])
        #expect(session.receive(.appended(appended(41, incarnation: 3)), now: at(4)).contains(.endHealing(report)))
    }

    @Test("S6: an error that passes pauses the healing, and it goes on from the first unanswered event")
    func pauses() {
        var (session, _) = live(welcome(4))
        _ = session.healingSent(reoffer(5, 2), next: position(6, 7))
        _ = session.healingSent(reoffer(7, 3), next: position(9, 10))
        let error = ProtocolError(.unavailable, "later", retryAfterMilliseconds: 1_000)
        #expect(
            session.receive(.error(error), now: at(100)) == [.report(.appendsDelayed(error, milliseconds: 1_000))])
        // The second frame met a gap because the server did not accept the first; the gap means no loss.
        let gap = ProtocolError(.sequenceGap, "", expected: DeviceSequence(5), sequence: DeviceSequence(7))
        #expect(session.receive(.error(gap), now: at(101)) == [])
        _ = session.healingSent(nil, next: position(9, 10))
        #expect(session.deadline == at(1_100))
        #expect(session.tick(now: at(1_100)) == [ask(position(0, 5))])
    }

    @Test("P9, S6: as many frames as the server allows, less one, are unanswered at a time")
    func window() {
        var (session, _) = live(welcome(4, window: 3))
        #expect(session.healingSent(reoffer(5, 1), next: position(5, 6)) == [ask(position(5, 6))])
        #expect(session.healingSent(reoffer(6, 1), next: position(6, 7)) == [])
    }

    @Test("S6: places that the log has given to other events are passed over and reported")
    func conflict() {
        var (session, _) = live(welcome(4))
        _ = session.healingSent(reoffer(5, 3), next: position(7, 8))
        let error = ProtocolError(.sequenceConflict, "", sequence: DeviceSequence(6))
        _ = session.receive(.appended(appended(5)), now: at(2))
        _ = session.receive(.error(error), now: at(2))
        _ = session.healingSent(nil, next: position(7, 8))
        // The last event of the frame may still have its place.
        let next = ProtocolError(.sequenceConflict, "", sequence: DeviceSequence(7))
        let actions = session.receive(.error(next), now: at(3))
        var report = HealingReport()
        report.conflicts = [
            LostEvents(incarnation: Incarnation(7), first: DeviceSequence(6), last: DeviceSequence(7))
        ]
        #expect(actions.contains(.endHealing(report)))
    }

    @Test("S6: of frames under way each may meet a conflict; none is taken for one about the queue")
    func conflicts() {
        var (session, _) = live(welcome(4))
        let (first, second) = (reoffer(5, 2), reoffer(7, 3))
        _ = session.healingSent(first, next: position(6, 7))
        _ = session.healingSent(second, next: position(9, 10))
        _ = session.healingSent(nil, next: position(9, 10))
        // The server answers each frame once.
        var frames = [first, second]
        var ends = false
        while !frames.isEmpty {
            let sequence = frames.removeFirst().firstSequence
            var actions = session.receive(
                .error(ProtocolError(.sequenceConflict, "", sequence: sequence)), now: at(2))
            while !actions.isEmpty {
                let action = actions.removeFirst()
                switch action {
                case .sendHealing(let asked, _):
                    let isMore = asked == position(6, 7)
                    if isMore { frames.append(second) }
                    actions += session.healingSent(isMore ? second : nil, next: position(9, 10))
                case .send(.heal(let request)): frames.append(request)
                case .endHealing: ends = true
                case .sendAppend: break
                default: Issue.record("\(action)")
                }
            }
        }
        #expect(ends && !session.isClosed)
    }

    /// A protocol 1 server's answers to re-offered events, when its log ends at `last` and has another store's events
    /// at `others` (rules P3, P4, S6).
    /// - Parameter reportedGap: whether the frame before was a gap too; only the first of several gaps in a row is
    ///   reported.
    private func answers(
        _ request: HealRequest, _ last: inout Int64, others: Set<Int64>, _ reportedGap: inout Bool
    ) -> [ServerMessage] {
        let first = request.firstSequence.rawValue
        let isGap = first > last + 1
        defer { reportedGap = isGap }
        guard !isGap else {
            if reportedGap { return [] }
            let gap = ProtocolError(
                .sequenceGap, "", expected: DeviceSequence(last + 1), sequence: request.firstSequence)
            return [.error(gap)]
        }
        let taken = (first...request.lastSequence.rawValue).prefix { !others.contains($0) }
        last = max(last, taken.last ?? 0)
        let conflict = first + Int64(taken.count)
        var answers: [ServerMessage] = taken.last.map { [.appended(appended($0))] } ?? []
        if conflict <= request.lastSequence.rawValue {
            answers.append(.error(ProtocolError(.sequenceConflict, "", sequence: DeviceSequence(conflict))))
        }
        return answers
    }

    @Test(
        "S6: what a frame holds behind a conflict is offered again and never declared lost, where the log lacks it",
        arguments: [UInt32(2), 3, 4, 64])
    func restOfConflict(window: UInt32) {
        for (others, logged): (Set<Int64>, Int64) in [
            ([5], 6), ([5, 6], 6), ([5], 5), ([5, 6, 7], 8), ([6, 10], 10),
        ] {
            var (session, actions) = live(acknowledged: 11, last: 11, welcome(logged, isBehind: true, window: window))
            // Frames by the place before them; the last one has few events, so that it meets the gap.
            let store: [Int64: HealRequest] = [0: reoffer(5, 5), 9: reoffer(10, 2)]
            let held: ClosedRange<Int64> = 5...11
            var last = logged
            var offered: Set<Int64> = []
            var answers: [ServerMessage] = []
            var report: HealingReport?
            var reportedGap = false
            func take(_ request: HealRequest) {
                if case .lost(let lost) = request { Issue.record("\(lost) is declared lost, and held") }
                offered.formUnion(request.firstSequence.rawValue...request.lastSequence.rawValue)
                answers += self.answers(request, &last, others: others, &reportedGap)
            }
            var steps = 0
            while report == nil, steps < 100 {
                steps += 1
                if actions.isEmpty {
                    guard !answers.isEmpty else { break }
                    actions = session.receive(answers.removeFirst(), now: at(2))
                    continue
                }
                switch actions.removeFirst() {
                case .sendHealing(let asked, _):
                    let request = store[asked.place]
                    if let request { take(request) }
                    let next = position(request?.lastSequence.rawValue ?? asked.place, 12, logged)
                    actions += session.healingSent(request, next: next)
                case .send(.heal(let request)): take(request)
                case .endHealing(let some): report = some
                default: break
                }
            }
            #expect(last == 11, "the log has everything that is held: \(others), \(logged)")
            #expect(offered == Set(held))
            #expect(report?.lost == [])
            let passed = Set((report?.conflicts ?? []).flatMap { $0.first.rawValue...$0.last.rawValue })
            #expect(passed.isSuperset(of: others), "\(others), \(logged): \(passed)")
            #expect(passed.allSatisfy { $0 <= max(logged, others.max() ?? 0) }, "\(others), \(logged): \(passed)")
        }
    }
}
