import Testing

@testable import FocusCore

@Suite("UserState: Focus") struct FocusTests {
    private func stage(_ focuses: String...) -> Stage {
        var stage = Stage.ready()
        for id in focuses { stage.configure(id, at: 0.5) }
        return stage
    }

    @Test("F1: activating one replaces the other; deactivating one that is not active changes nothing")
    func oneIsActive() {
        var stage = stage("x", "y")
        stage.focus("x", on: true, at: 1)
        stage.focus("y", on: true, at: 2)
        #expect(stage.activeFocus == "y")
        stage.focus("x", on: false, at: 3)
        #expect(stage.activeFocus == "y")
        stage.focus("y", on: false, at: 4)
        #expect(stage.activeFocus == nil)
    }

    @Test("F1: Focus X on @1, Y off @2, late X off @1.5: none is active")
    func lateOff() {
        var stage = stage("x", "y")
        stage.focus("x", on: true, at: 1, from: .phone)
        stage.focus("y", on: false, at: 2, from: .phone)
        #expect(stage.activeFocus == "x")
        stage.focus("x", on: false, at: 1.5, from: .tablet)
        #expect(stage.activeFocus == nil)
    }

    @Test("F1: a late activation that is older than what came after loses")
    func lateOn() {
        var stage = stage("x", "y")
        stage.focus("y", on: true, at: 5)
        stage.focus("x", on: true, at: 3, from: .tablet)
        #expect(stage.activeFocus == "y")
        stage.focus("y", on: false, at: 6)
        // Focus x does not become active again: the greatest activation was y's.
        #expect(stage.activeFocus == nil)
    }

    @Test("F1: an activation waits for its configuration; a removal ends it for good")
    func configuration() {
        var stage = stage()
        stage.focus("x", on: true, at: 1)
        #expect(stage.activeFocus == nil)
        stage.configure("x", at: 2, from: .tablet)
        #expect(stage.activeFocus == "x")
        stage.send(.focusRemoved(FocusRemoved(focusID: "x")), at: 3)
        #expect(stage.activeFocus == nil)
        stage.configure("x", at: 4)
        #expect(stage.activeFocus == nil)
        stage.focus("x", on: true, at: 5)
        #expect(stage.activeFocus == "x")
    }

    @Test("F2: an activation ends when focus.expired names its stamp, and only that one")
    func expires() {
        var stage = stage("x")
        stage.focus("x", on: true, until: 10, at: 1)
        #expect(stage.state.dueExpiration?.at == .at(10))
        stage.fireTimers(at: 9.99)
        #expect(stage.activeFocus == "x")
        stage.fireTimers(at: 10)
        #expect(stage.activeFocus == nil && stage.state.dueExpiration == nil)
    }

    @Test("T1: two servers race: one event")
    func race() {
        var stage = stage("x")
        stage.focus("x", on: true, until: 10, at: 1)
        let due = stage.state.dueExpiration!
        stage.fireTimers(at: 10)
        let second = Event(
            version: stage.state.version.next, device: .server, incarnation: Incarnation(0),
            sequence: DeviceSequence(2),
            id: EventID(Stage.uuid(500)), app: nil, occurredAt: due.at, recordedAt: .at(10),
            body: .focusExpired(due.event))
        #expect(stage.state.validate(second, scope: .system) != nil)
    }

    @Test("T1: not before it is due, nor for an activation that was replaced")
    func notDue() {
        var stage = stage("x")
        stage.focus("x", on: true, until: 10, at: 1)
        let due = stage.state.dueExpiration!
        func validate(_ stage: Stage, recorded: Double) -> Refusal? {
            let event = Event(
                version: stage.state.version.next, device: .server, incarnation: Incarnation(0),
                sequence: DeviceSequence(1),
                id: EventID(Stage.uuid(500)), app: nil, occurredAt: due.at, recordedAt: .at(recorded),
                body: .focusExpired(due.event))
            return stage.state.validate(event, scope: .system)
        }
        #expect(validate(stage, recorded: 9.999_999) != nil)
        #expect(validate(stage, recorded: 10) == nil)
        stage.focus("x", on: true, until: 20, at: 5)
        #expect(validate(stage, recorded: 10) != nil)
    }

    @Test("F2: a Focus from 9 to 10 expired; a late re-activation @9:50 until 11 is active")
    func lateReactivation() {
        var stage = stage("x")
        stage.post("held", at: 0.9)
        stage.focus("x", on: true, until: 100, at: 90)
        stage.post("n", at: 95)
        #expect(stage.decision("n")?.alert == .heldByFocus)
        stage.fireTimers(at: 100)
        #expect(stage.decision("n") == AlertDecision(.now, .ordinary))
        stage.focus("x", on: true, until: 110, at: 98, recorded: 101, from: .tablet)
        #expect(stage.activeFocus == "x")
        // A released alert stays released.
        #expect(stage.decision("n") == AlertDecision(.now, .ordinary))
    }

    @Test("F2: an activation whose end is not after its recording is born ended, and ends the one before")
    func bornEnded() {
        var stage = stage("x", "y")
        stage.focus("x", on: true, at: 1)
        stage.focus("y", on: true, until: 5, at: 2, recorded: 5, from: .tablet)
        #expect(stage.activeFocus == nil)
        stage.focus("y", on: true, until: 6, at: 3, recorded: 5.999_999, from: .tablet)
        #expect(stage.activeFocus == "y")
    }

    @Test("F3: a Focus that lets an app through does not exist for it")
    func perspective() {
        var stage = Stage.ready([.chat, .mail])
        stage.configure("x", allows: [.chat], at: 1)
        stage.focus("x", on: true, at: 2)
        #expect(stage.visibility(.chat)?.isFocused == false)
        #expect(stage.visibility(.mail)?.isFocused == true)
    }

    @Test("F3.2: sharing off: not focused, alerts still held")
    func sharing() {
        var stage = Stage.ready()
        stage.configure("x", shares: false, at: 1)
        stage.focus("x", on: true, at: 2)
        #expect(stage.visibility()?.isFocused == false)
        stage.post("a", at: 3)
        #expect(stage.decision("a")?.alert == .heldByFocus)
    }

    @Test("F3.1: unavailable without the capability or either authorization")
    func unavailable() {
        var stage = stage("x")
        stage.focus("x", on: true, at: 1)
        #expect(stage.visibility()?.isFocused == true)
        stage.authorize(.notifications, .provisional, at: 2)
        #expect(stage.visibility() == FocusVisibilityRow(isFocused: nil))
        stage.authorize(.notifications, .authorized, at: 3)
        stage.authorize(.focusStatus, .denied, at: 4)
        #expect(stage.visibility() == FocusVisibilityRow(isFocused: nil))
        stage.authorize(.focusStatus, .authorized, at: 5)
        stage.register(capabilities: [], at: 6)
        #expect(stage.visibility() == FocusVisibilityRow(isFocused: nil))
    }

    private func report(_ stage: inout Stage, _ value: Bool?, at second: Double, from device: DeviceID = .watch) {
        stage.send(.focusStatusReported(FocusStatusReported(isFocused: value)), app: .chat, from: device, at: second)
    }

    @Test("F4: a report counts while it is later than every Focus event; withdrawn, it does not")
    func reports() {
        var stage = stage("x")
        stage.focus("x", on: true, at: 5)
        report(&stage, false, at: 4)
        #expect(stage.visibility()?.isFocused == true)
        report(&stage, false, at: 6)
        #expect(stage.visibility()?.isFocused == false)
        // A Focus event that loses counts too, if it is later than the report.
        stage.focus("y", on: false, at: 7)
        #expect(stage.visibility()?.isFocused == true)
        report(&stage, false, at: 8)
        report(&stage, nil, at: 9)
        #expect(stage.visibility()?.isFocused == true)
        report(&stage, true, at: 10)
        stage.authorize(.focusStatus, .denied, at: 11)
        #expect(stage.visibility() == FocusVisibilityRow(isFocused: nil))
    }

    @Test("F4: a report proves itself where nobody registered or authorized the app; a logged denial still hides it")
    func provesItself() {
        var stage = Stage()
        stage.send(.audienceChanged(AudienceChanged(add: [.bob])), app: .chat, at: 0)
        report(&stage, true, at: 1)
        let viewer = Viewer(user: .bob, scope: .app(.chat))
        #expect(stage.visibility()?.isFocused == true && stage.state.visibility(to: viewer) == [.chat: true])
        // What Focus events say is not for this app, and neither is that there are any.
        let head = stage.state.head(of: View(scope: .app(.chat), device: .phone, deviceClass: .phone).silenced)
        stage.configure("x", at: 2)
        stage.focus("x", on: true, at: 3)
        stage.focus("x", on: false, at: 4)
        #expect(stage.visibility()?.isFocused == true)
        #expect(stage.state.head(of: View(scope: .app(.chat), device: .phone, deviceClass: .phone).silenced) == head)
        for kind in [AuthorizationKind.focusStatus, .notifications] {
            for status in [AuthorizationStatus.denied, .restricted, .notSupported] {
                stage.authorize(kind, status, at: 5)
                #expect(stage.visibility()?.isFocused == nil && stage.state.visibility(to: viewer).isEmpty)
                stage.authorize(kind, .notDetermined, at: 6)
                #expect(stage.visibility()?.isFocused == true)
            }
        }
        report(&stage, nil, at: 7)
        #expect(stage.visibility()?.isFocused == nil)
    }

    @Test("F4: alert decisions ignore reports")
    func reportsDoNotHold() {
        var stage = stage("x")
        report(&stage, true, at: 1)
        #expect(stage.visibility()?.isFocused == true)
        stage.post("a", at: 2)
        #expect(stage.decision("a")?.alert == .now)
    }

    @Test("F4: an end that something else came before does not count, whether the activation was in time or late")
    func endsThatNeverCame() {
        for late in [false, true] {
            var stage = stage("x")
            if !late { stage.focus("x", on: true, until: 10, at: 5) }
            stage.focus("x", on: false, at: 8)
            report(&stage, true, at: 9)
            stage.fireTimers(at: 10)
            if late { stage.focus("x", on: true, until: 10, at: 5, recorded: 11, from: .tablet) }
            #expect(stage.visibility()?.isFocused == true, "late: \(late)")
        }
    }

    @Test("F4: an end by itself counts at its due time, whether the activation came before or after it")
    func endsOutdateReports() {
        for late in [false, true] {
            var stage = stage("x")
            if !late { stage.focus("x", on: true, until: 10, at: 5) }
            report(&stage, true, at: 9)
            stage.fireTimers(at: 10)
            if late { stage.focus("x", on: true, until: 10, at: 5, recorded: 11) }
            #expect(stage.visibility()?.isFocused == false)
        }
    }
}
