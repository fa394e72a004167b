import Testing

@testable import FocusCore

@Suite("UserState: one switch silences all apps (N17), and consent is asked again (N9.0)") struct SilencedAlertTests {
    @Test("N17: what is posted while apps are silenced never rings, critical or not")
    func silenced() {
        var stage = Stage.ready([.chat, .mail])
        stage.silence(true, at: 1)
        stage.post("a", level: .critical, at: 2)
        stage.post("b", .mail, at: 2)
        stage.silence(false, at: 3)
        #expect(stage.decision("a") == AlertDecision(.none, .silenced))
        #expect(stage.decision("b", .mail) == AlertDecision(.none, .silenced))
        #expect(stage.badge()?.count == 1)
        stage.post("c", at: 4)
        #expect(stage.decision("c") == AlertDecision(.now, .ordinary))
    }

    @Test("N17: a register by stamp; devices see it in the settings of no app, and apps do not")
    func register() {
        let key = RowKey(.notificationSettings)
        var stage = Stage.ready()
        #expect(stage.value(NotificationSettingsRow.self, key) == nil)
        stage.silence(true, at: 5)
        #expect(stage.value(NotificationSettingsRow.self, key)?.isSilenced == true)
        #expect(stage.touched.filter { $0.app != nil && $0.collection == .notificationSettings }.isEmpty)
        stage.silence(false, at: 4, from: .tablet)
        #expect(stage.value(NotificationSettingsRow.self, key)?.isSilenced == true)
        stage.silence(false, at: 6, from: .tablet)
        #expect(stage.value(NotificationSettingsRow.self, key)?.isSilenced == false)
    }

    @Test("N17: the switch decides nothing again, and is asked at a release")
    func releases() {
        for isSilenced in [true, false] {
            var stage = Stage.ready()
            stage.configure("f", at: 1)
            stage.focus("f", on: true, at: 2)
            stage.post("n", at: 3)
            stage.silence(true, at: 4)
            #expect(stage.decision("n")?.alert == .heldByFocus)
            if !isSilenced { stage.silence(false, at: 5) }
            stage.focus("f", on: false, at: 6)
            #expect(stage.decision("n")?.reason == (isSilenced ? .silenced : .ordinary))
        }
    }

    @Test("N17: an alert of a government passes the switch, and nothing else")
    func government() {
        var stage = Stage.ready()
        stage.silence(true, at: 1)
        stage.alert(level: .critical, at: 2)
        #expect(stage.decision("g") == AlertDecision(.now, .critical, overridesSilentSwitch: true))
        #expect(stage.notification("g")?.government == true)
        stage.set(alerts: .off, at: 3)
        stage.alert(level: .critical, at: 4)
        #expect(stage.decision("g") == AlertDecision(.none, .alertsOff))
        stage.post("g", at: 5)
        #expect(stage.notification("g")?.government == false)
    }

    @Test("N17: only the system posts alerts of governments, and they are no marketing and no communication")
    func governmentRefusals() {
        var stage = Stage.ready()
        #expect(stage.alert(at: 1, scope: .app(.chat)) == .forbidden)
        for (marketing, interaction) in [(true, nil), (false, "i")] as [(Bool, String?)] {
            let post = NotificationPosted(
                notificationID: "g", body: "B", marketing: marketing, interactionID: interaction)
            let code = stage.send(.governmentAlertPosted(GovernmentAlertPosted(post)), app: .chat, at: 2)
            #expect(code == .fieldInvalid)
        }
    }

    @Test("N9.0: held marketing does not ring once the person has opted out")
    func consent() {
        var stage = Stage.ready()
        stage.authorize(.marketing, .authorized, at: 1)
        stage.configure("f", at: 1)
        stage.focus("f", on: true, at: 2)
        stage.post("ad", marketing: true, at: 3)
        stage.post("n", at: 3)
        #expect(stage.decision("ad")?.alert == .heldByFocus)
        stage.authorize(.marketing, .denied, at: 4)
        #expect(stage.decision("ad") == AlertDecision(.none, .consent))
        stage.focus("f", on: false, at: 5)
        #expect(stage.decision("ad") == AlertDecision(.none, .consent))
        #expect(stage.decision("n") == AlertDecision(.now, .ordinary))
    }

    @Test("N17, N9.0: a state that is loaded from its rows has the switch")
    func loading() throws {
        var stage = Stage.ready()
        stage.silence(true, at: 1)
        var loaded = stage
        loaded.state = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        #expect(loaded.rows == stage.rows)
        loaded.post("n", at: 2)
        #expect(loaded.decision("n") == AlertDecision(.none, .silenced))
    }
}

extension Stage {
    fileprivate mutating func silence(_ isSilenced: Bool, at second: Double, from device: DeviceID = .phone) {
        send(.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: isSilenced)), from: device, at: second)
    }

    @discardableResult
    fileprivate mutating func alert(
        level: InterruptionLevel = .active, at second: Double, scope: Scope = .system
    ) -> RefusalCode? {
        let post = NotificationPosted(notificationID: "g", title: "T", body: "B", level: level)
        return send(.governmentAlertPosted(GovernmentAlertPosted(post)), app: .chat, at: second, scope: scope)
    }
}
