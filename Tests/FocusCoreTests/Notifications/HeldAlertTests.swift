import Testing

@testable import FocusCore

@Suite("UserState: held alerts") struct HeldAlertTests {
    /// Chat has one held alert, "a", posted at second 3 in Focus x, which is on since second 2.
    private func held() -> Stage {
        var stage = Stage.ready([.chat, .mail])
        stage.configure("x", at: 1)
        stage.configure("y", at: 1)
        stage.focus("x", on: true, at: 2)
        stage.post("a", at: 3)
        #expect(stage.decision("a") == AlertDecision(.heldByFocus, .focus))
        return stage
    }

    @Test("N8: it is in the list and in the badge at once, whatever becomes of its alert")
    func listedAtOnce() {
        let stage = held()
        #expect(stage.notification("a")?.unread == true && stage.badge()?.count == 1)
    }

    @Test("N10: the Focus goes off: it rings")
    func focusOff() {
        var stage = held()
        stage.focus("x", on: false, at: 4)
        #expect(stage.decision("a") == AlertDecision(.now, .ordinary))
        #expect(stage.state.apps.allSatisfy { $0.list.held.isEmpty })
    }

    @Test("N10: a late Focus-off that loses releases nothing")
    func losingOff() {
        var stage = held()
        stage.focus("x", on: false, at: 1.5, from: .tablet)
        stage.focus("y", on: false, at: 5, from: .tablet)
        #expect(stage.decision("a")?.alert == .heldByFocus)
    }

    @Test("N10: another Focus that holds it too changes nothing")
    func replaced() throws {
        var stage = held()
        let version = try #require(stage.state.row(RowKey(.alerts, app: .chat, key: "a"))?.version)
        stage.focus("y", on: true, at: 4)
        #expect(stage.state.row(RowKey(.alerts, app: .chat, key: "a"))?.version == version)
    }

    @Test("N10: the Focus is edited to allow the app: its held alerts ring, others do not")
    func edited() {
        var stage = held()
        stage.post("m", .mail, at: 3.5)
        stage.configure("x", allows: [.chat], at: 4)
        #expect(stage.decision("a") == AlertDecision(.now, .allowedApp))
        #expect(stage.decision("m", .mail)?.alert == .heldByFocus)
    }

    @Test("N10: a losing edit releases nothing")
    func losingEdit() {
        var stage = held()
        stage.configure("x", allows: [.chat], at: 0.5, from: .tablet)
        #expect(stage.decision("a")?.alert == .heldByFocus)
    }

    @Test("N10: the Focus is removed: it rings")
    func focusRemoved() {
        var stage = held()
        stage.send(.focusRemoved(FocusRemoved(focusID: "x")), at: 4)
        #expect(stage.decision("a")?.alert == .now)
    }

    @Test("N10: the app's authorization changes while it is held")
    func authorization() {
        var stage = held()
        stage.authorize(.notifications, .provisional, at: 4)
        #expect(stage.decision("a") == AlertDecision(.none, .provisional))
        // The decision `none` is final.
        stage.authorize(.notifications, .authorized, at: 5)
        stage.focus("x", on: false, at: 6)
        #expect(stage.decision("a") == AlertDecision(.none, .provisional))
        stage.focus("x", on: true, at: 7)
        stage.post("b", at: 8)
        stage.authorize(.notifications, .denied, at: 9)
        #expect(stage.decision("b") == AlertDecision(.none, .notAuthorized))
    }

    @Test("N10: a late Focus-on older than a ringing alert: the alert is unchanged, visibility changes")
    func lateOn() {
        var stage = Stage.ready()
        stage.configure("x", at: 1)
        stage.post("a", at: 5)
        stage.focus("x", on: true, at: 4, from: .tablet)
        #expect(stage.decision("a") == AlertDecision(.now, .ordinary))
        #expect(stage.visibility()?.isFocused == true)
    }

    @Test("N10: what was read, removed or cleared meanwhile is not released", arguments: 0..<3)
    func readMeanwhile(_ way: Int) {
        var stage = held()
        switch way {
        case 0: stage.read("a", at: 4)
        case 1: stage.remove("a", at: 4)
        default: stage.clear(at: 4)
        }
        #expect(stage.alert("a") == nil)
        stage.focus("x", on: false, at: 5)
        #expect(stage.alert("a") == nil)
        #expect((stage.notification("a") != nil) == (way == 0))
    }

    @Test("N10: what has rung keeps its row when it is read")
    func readAfterwards() {
        var stage = held()
        stage.focus("x", on: false, at: 4)
        stage.read("a", at: 5)
        #expect(stage.decision("a") == AlertDecision(.now, .ordinary))
    }

    @Test("N10: a re-post that arrives already read has no alert")
    func repostBornRead() {
        var stage = held()
        stage.focus("x", on: false, at: 4)
        stage.read("a", at: 10)
        stage.post("a", at: 9, from: .tablet)
        #expect(stage.notification("a")?.unread == false && stage.alert("a") == nil)
    }

    @Test("N9: levels in a Focus: passive is listed only, active waits, critical rings over the silent switch")
    func levels() {
        var stage = held()
        for level in InterruptionLevel.allCases { stage.post("\(level)", level: level, at: 4) }
        #expect(stage.decision("passive") == AlertDecision(.none, .passive))
        #expect(stage.decision("active") == AlertDecision(.heldByFocus, .focus))
        #expect(stage.decision("timeSensitive") == AlertDecision(.heldByFocus, .focus))
        #expect(stage.decision("critical") == AlertDecision(.now, .critical, overridesSilentSwitch: true))
        stage.configure("x", timeSensitive: true, at: 5)
        #expect(stage.decision("timeSensitive") == AlertDecision(.now, .timeSensitive))
        #expect(stage.alert("timeSensitive")?.introducesTimeSensitive == true)
        #expect(stage.decision("active")?.alert == .heldByFocus)
    }

    @Test("N9: marketing from an allowed app in a Focus is held")
    func marketing() {
        var stage = held()
        stage.authorize(.marketing, .authorized, at: 3)
        stage.configure("x", allows: [.chat], at: 3)
        stage.post("m", marketing: true, at: 4)
        #expect(stage.decision("m")?.alert == .heldByFocus)
    }
}
