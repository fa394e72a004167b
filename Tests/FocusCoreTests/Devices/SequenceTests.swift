import Foundation
import Testing

@testable import FocusCore

@Suite("UserState: sequences and refusals") struct SequenceTests {
    @Test("W1: the text of a refusal is told up to its bound, and never in the middle of a character")
    func textIsBounded() {
        for (text, kept) in [
            (String(repeating: "x", count: 256), 256), (String(repeating: "x", count: 257), 256),
            (String(repeating: "€", count: 86), 85 * 3), ("", 0),
        ] {
            let outcome = Outcome.refused(code: "c", message: text).bounded
            guard case .refused("c", let told) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(told.utf8.count == kept && text.hasPrefix(told))
        }
        #expect(Outcome.accepted.bounded == .accepted)
    }

    private func event(
        _ sequence: Int64, _ id: Int, version: Int64, incarnation: Int64 = 1, body: EventBody = .badgeCleared,
        app: AppID? = .chat
    ) -> Event {
        Event(
            version: Version(version), device: .phone, incarnation: Incarnation(incarnation),
            sequence: DeviceSequence(sequence), id: EventID(Stage.uuid(id)), app: app, occurredAt: .at(Double(version)),
            recordedAt: .at(Double(version)), body: body)
    }

    private func check(_ state: UserState, _ sequence: Int64, incarnation: Int64 = 1) -> SequenceCheck {
        state.check(device: .phone, incarnation: Incarnation(incarnation), sequence: DeviceSequence(sequence))
    }

    private func remembered(_ state: UserState, _ id: Int) -> Outcome? {
        state.remembered(EventID(Stage.uuid(id)), of: .phone, .system)
    }

    private let refusal = EventBody.eventRefused(EventRefused(type: "t", code: "not_authorized", message: "no"))

    @Test("E1: the next, a gap, an earlier place, and a sequence that is none")
    func checks() throws {
        var state = UserState(user: .ada)
        #expect(check(state, 1) == .next)
        #expect(check(state, 0) == .gap(expected: DeviceSequence(1)))
        #expect(check(state, 2) == .gap(expected: DeviceSequence(1)))
        _ = try state.apply(event(1, 1, version: 1))
        _ = try state.apply(event(2, 2, version: 2, body: refusal))
        #expect(check(state, 1) == .earlier)
        #expect(check(state, 2) == .earlier)
        #expect(check(state, 3) == .next)
        #expect(check(state, 4) == .gap(expected: DeviceSequence(3)))
        #expect(check(state, .min) == .gap(expected: DeviceSequence(3)))
        #expect(check(state, .max) == .gap(expected: DeviceSequence(3)))
        #expect(state.lastSequence(of: .phone, incarnation: Incarnation(1)) == DeviceSequence(2))
        #expect(state.lastSequence(of: .tablet, incarnation: Incarnation(1)) == .zero)
    }

    @Test("E1: the last 256 answers of a device are remembered by the event's id, its refusals' texts too")
    func remembersOutcomes() throws {
        var state = UserState(user: .ada)
        for number in 1...300 {
            _ = try state.apply(
                event(Int64(number), number, version: Int64(number), body: number % 50 == 0 ? refusal : .badgeCleared))
        }
        #expect(remembered(state, 44) == nil)
        #expect(remembered(state, 9_999) == nil)
        #expect(remembered(state, 45) == .accepted)
        #expect(remembered(state, 50) == .refused(code: "not_authorized", message: "no"))
        #expect(remembered(state, 300) == .refused(code: "not_authorized", message: "no"))
    }

    @Test("E1: a new incarnation starts at 1, and a repeat of what an old one had logged keeps the first answer")
    func incarnations() throws {
        var state = UserState(user: .ada)
        _ = try state.apply(event(1, 1, version: 1))
        _ = try state.apply(event(2, 2, version: 2, body: refusal))
        #expect(check(state, 1, incarnation: 9) == .next)
        #expect(remembered(state, 1) == .accepted)
        let repeated = EventRefused(type: "t", code: RefusalCode.alreadyLogged.rawValue, message: "")
        _ = try state.apply(event(1, 2, version: 3, incarnation: 9, body: .eventRefused(repeated)))
        #expect(remembered(state, 2) == .refused(code: "not_authorized", message: "no"))
        #expect(check(state, 2, incarnation: 9) == .next)
        #expect(check(state, 3) == .next)
        // The repeat is not a refusal that the device is told of.
        #expect(state.rowKeys.filter { $0.collection == .refusals }.map(\.key) == ["\(DeviceID.phone)/1/2"])
    }

    @Test("E1: an event that is not the next throws")
    func brokenSequences() throws {
        var state = UserState(user: .ada)
        #expect(throws: FoldError.versionGap(expected: Version(1), found: Version(2))) {
            try state.apply(event(1, 1, version: 2))
        }
        #expect(throws: FoldError.sequenceGap(device: .phone, expected: DeviceSequence(1), found: DeviceSequence(2))) {
            try state.apply(event(2, 1, version: 1))
        }
    }

    @Test("E2: a refusal is a row of its device and scope, and has no other effect")
    func refusalRows() {
        var stage = Stage.ready()
        #expect(stage.send(.badgeCleared, app: .mail, at: 5, scope: .app(.mail)) == .appUnknown)
        let key = RowKey(.refusals, app: .mail, key: "\(DeviceID.phone)/1/4")
        #expect(stage.value(RefusalRow.self, key)?.code == "app_unknown")
        #expect(stage.value(RefusalRow.self, key)?.type == "badge.cleared")
        let own = View(scope: .app(.mail), device: .phone, deviceClass: .phone)
        let others = [
            View(scope: .app(.chat), device: .phone, deviceClass: .phone),
            View(scope: .system, device: .phone, deviceClass: .phone),
            View(scope: .app(.mail), device: .tablet, deviceClass: .phone),
        ]
        #expect(
            stage.state.rows(after: SyncPosition(version: .zero), in: own, limitBytes: 1 << 20).rows.map(\.key) == [key]
        )
        for view in others {
            let rows = stage.state.rows(after: SyncPosition(version: .zero), in: view, limitBytes: 1 << 20).rows
            #expect(!rows.contains { $0.key.collection == .refusals })
        }
        // A refused event leaves no stamp: an earlier time still wins.
        stage.authorize(.location, .denied, at: 1)
        #expect(stage.state.apps[0][.location].status?.stamp.time == .at(1))
    }

    @Test("E2: the last 256 refusals of a device are kept")
    func refusalsAreBounded() {
        var stage = Stage()
        for number in 1...260 { stage.clear(at: Double(number)) }
        let live = stage.rows.filter { $0.key.collection == .refusals && !$0.value.isDeleted }
        #expect(live.count == 256)
        #expect(live[RowKey(.refusals, key: "\(DeviceID.phone)/1/4")] == nil)
        #expect(live[RowKey(.refusals, key: "\(DeviceID.phone)/1/5")] != nil)
    }

    @Test("E3: a stamp's time never falls within a device, and a new incarnation's stamps go on")
    func stamps() throws {
        var record = ScopeHistory(.phone, .unbound)
        let first = record.stamp(event(5, 1, version: 10))
        let back = record.stamp(event(6, 2, version: 3))
        #expect(back.time == first.time && back > first)
        let restored = record.stamp(event(1, 3, version: 3, incarnation: 2))
        #expect(restored > back && restored.time == first.time.adding(microseconds: 1))
    }
}
