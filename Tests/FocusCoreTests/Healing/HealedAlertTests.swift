import Testing

@testable import FocusCore

@Suite("Healed alerts") struct HealedAlertTests {
    private func stage() -> Stage { .ready() }

    private func decision(_ id: String, _ stage: Stage) -> AlertDecision? { stage.alert(id)?.decision }

    @Test(
        "S6: a healed post is in the list, counts in the badge, and does not ring",
        arguments: InterruptionLevel.allCases)
    func post(_ level: InterruptionLevel) {
        var stage = stage()
        stage.healPost("n", level: level, at: 5)
        #expect(stage.notification("n")?.unread == true)
        #expect(decision("n", stage)?.alert == Alert.none)
        #expect(decision("n", stage)?.reason == (level == .passive ? .passive : .healed))
        #expect(decision("n", stage)?.overridesSilentSwitch == false)
    }

    @Test("S6: a healed post that waited for a Focus or a summary in the lost history does not wait for another")
    func held() {
        var stage = stage()
        stage.configure("work", at: 1)
        stage.focus("work", on: true, at: 2)
        stage.healPost("n", at: 3)
        stage.focus("work", on: false, at: 4)
        #expect(decision("n", stage) == AlertDecision(.none, .healed))
    }

    @Test("S6: a healed post does not ring after 30 s either because its app is in front now")
    func inFront() {
        var stage = stage()
        stage.use(.phone, app: .chat, at: 1)
        stage.healPost("n", at: 5)
        #expect(decision("n", stage) == AlertDecision(.none, .healed))
        #expect(stage.state.dueRings() == nil)
    }

    @Test("S6, N10: what a healed event releases was released then; what came after the loss rings now")
    func release() {
        var stage = stage()
        stage.configure("work", at: 1)
        stage.focus("work", on: true, at: 2)
        stage.post("before", at: 3)
        // The log has lost the Focus-off at second 5; then the device posts again.
        stage.post("after", at: 9)
        #expect(decision("before", stage)?.alert == .heldByFocus)
        #expect(decision("after", stage)?.alert == .heldByFocus)
        stage.heal(.focusChanged(FocusChanged(focusID: "work", isActive: false)), at: 5)
        #expect(decision("before", stage) == AlertDecision(.none, .healed))
        #expect(decision("after", stage) == AlertDecision(.now, .ordinary))
    }

    @Test("S6, N7: a re-post after the healing is a new decision, and rings")
    func repost() {
        var stage = stage()
        stage.healPost("n", at: 5)
        stage.post("n", at: 6)
        #expect(decision("n", stage) == AlertDecision(.now, .ordinary))
    }

    @Test("S6: a state that is reloaded decides the same of what follows")
    func reload() throws {
        var stage = stage()
        stage.healPost("n", at: 5)
        let rows = Dictionary(
            uniqueKeysWithValues: stage.state.rowKeys.compactMap { key in stage.state.row(key).map { (key, $0) } })
        let reloaded = try UserState(user: .ada, version: stage.state.version, rows: rows)
        #expect(reloaded.rowKeys == stage.state.rowKeys)
        for key in reloaded.rowKeys { #expect(reloaded.row(key) == stage.state.row(key)) }
    }

    @Test("S6, E1: lost events take their sequences, which are empty places")
    func lost() throws {
        var stage = stage()
        let lost = EventBody.deviceEventsLost(DeviceEventsLost(first: DeviceSequence(1), last: DeviceSequence(4)))
        stage.heal(lost, sequence: 4, at: 5)
        func check(_ sequence: Int64) -> SequenceCheck {
            stage.state.check(
                device: .watch, incarnation: Incarnation(1), sequence: DeviceSequence(sequence))
        }
        #expect(check(1) == .lost)
        #expect(check(3) == .lost)
        #expect(check(4) == .lost)
        #expect(check(5) == .next)
        #expect(check(6) == .gap(expected: DeviceSequence(5)))
        #expect(throws: FoldError.self) {
            var state = stage.state
            _ = try state.apply(
                Event(
                    version: state.version.next, device: .watch, incarnation: Incarnation(1),
                    sequence: DeviceSequence(4), id: EventID(Stage.uuid(78)), app: nil, occurredAt: .at(6),
                    recordedAt: .at(6),
                    body: .deviceEventsLost(DeviceEventsLost(first: DeviceSequence(3), last: DeviceSequence(4)))))
        }
    }

    @Test("S6, A4: a device cannot append lost events as an event")
    func serversOwn() {
        var stage = stage()
        let lost = EventBody.deviceEventsLost(DeviceEventsLost(first: DeviceSequence(1), last: DeviceSequence(4)))
        #expect(stage.send(lost, at: 3) == .forbidden)
    }
}
