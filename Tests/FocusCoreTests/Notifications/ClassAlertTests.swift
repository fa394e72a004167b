import Testing

@testable import FocusCore

@Suite("UserState: alerts of device classes") struct ClassAlertTests {
    private func inFocus() -> Stage {
        var stage = Stage.ready()
        stage.configure("x", at: 1)
        stage.focus("x", on: true, at: 2)
        return stage
    }

    @Test("N15: alerts are decided with the phone's settings; classes that agree have no row of their own")
    func agree() {
        var stage = Stage.ready()
        stage.set(alerts: .off, sounds: .off, at: 1)
        stage.set(on: .watch, sounds: .on, previews: .never, at: 1)
        stage.post("a", at: 2)
        #expect(stage.decision("a") == AlertDecision(.none, .alertsOff))
        #expect(stage.rows.keys.allSatisfy { $0.collection != .classAlerts })
    }

    @Test("N15: a class that comes out differently has its own row")
    func differ() {
        var stage = Stage.ready()
        stage.set(on: .watch, alerts: .off, at: 1)
        stage.post("a/1", at: 2)
        #expect(stage.decision("a/1") == AlertDecision(.now, .ordinary))
        #expect(stage.alert("a/1", on: .watch)?.decision == AlertDecision(.none, .alertsOff))
        #expect(stage.alert("a/1", on: .tablet) == nil && stage.alert("a/1", on: .desktop) == nil)
        #expect(stage.touched.contains(RowKey(.classAlerts, app: .chat, key: "watch/a/1")))
        // A critical post rings on every class with alerts on; here that is the phone only.
        stage.post("c", level: .critical, at: 3)
        #expect(stage.alert("c", on: .watch)?.decision == AlertDecision(.none, .alertsOff))
        stage.remove("a/1", at: 4)
        #expect(stage.alert("a/1", on: .watch) == nil && stage.alert("c", on: .watch) != nil)
    }

    @Test("N15: a re-post that all classes agree about takes the class's row away")
    func repost() {
        var stage = Stage.ready()
        stage.set(on: .watch, alerts: .off, at: 1)
        stage.post("a", at: 2)
        stage.set(on: .watch, alerts: .follow, at: 3)
        // The decision `none` is final.
        #expect(stage.decision("a", on: .watch) == AlertDecision(.none, .alertsOff))
        stage.post("a", at: 4)
        #expect(stage.alert("a", on: .watch) == nil && stage.decision("a")?.alert == .now)
        #expect(stage.state.apps[0].list.withClassAlerts.isEmpty)
    }

    @Test("N10: a class's settings change while it is held: that class alone is decided again")
    func heldOfAClass() {
        var stage = inFocus()
        stage.post("a", at: 3)
        stage.set(on: .watch, alerts: .off, at: 4)
        #expect(stage.decision("a")?.alert == .heldByFocus)
        #expect(stage.decision("a", on: .watch) == AlertDecision(.none, .alertsOff))
        stage.set(on: .watch, alerts: .follow, at: 5)
        stage.focus("x", on: false, at: 6)
        #expect(stage.decision("a") == AlertDecision(.now, .ordinary))
        #expect(stage.decision("a", on: .watch) == AlertDecision(.none, .alertsOff))
    }

    @Test("N10: the phone's is final, the watch's is held and released")
    func heldOnTheWatch() throws {
        var stage = inFocus()
        stage.set(alerts: .off, at: 2.5)
        stage.set(on: .watch, alerts: .on, at: 2.5)
        stage.post("a", at: 3)
        #expect(stage.decision("a") == AlertDecision(.none, .alertsOff))
        #expect(stage.decision("a", on: .watch)?.alert == .heldByFocus)
        stage.state = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        stage.focus("x", on: false, at: 4)
        #expect(stage.decision("a") == AlertDecision(.none, .alertsOff))
        #expect(stage.decision("a", on: .watch) == AlertDecision(.now, .ordinary))
    }

    @Test("N10: what was read is released for no class, also where the phone's has rung")
    func read() {
        var stage = Stage.ready()
        stage.schedule([100], at: 1)
        stage.set(on: .watch, scheduled: .on, at: 1)
        stage.post("a", at: 2)
        #expect(stage.decision("a")?.alert == .now)
        #expect(stage.decision("a", on: .watch)?.alert == .heldForSummary)
        stage.read("a", at: 3)
        #expect(stage.decision("a")?.alert == .now)
        #expect(stage.decision("a", on: .watch) == AlertDecision(.none, .read))
        stage.fireTimers(at: 200)
        stage.set(on: .watch, scheduled: .follow, at: 201)
        #expect(stage.decision("a", on: .watch) == AlertDecision(.none, .read))
        #expect(stage.state.shared.summary.lastDelivered == nil)
    }

    @Test("N10: the phone's is held and read: no class has a row any more")
    func readWhileHeld() {
        var stage = inFocus()
        stage.set(on: .watch, alerts: .off, at: 2.5)
        stage.post("a", at: 3)
        #expect(stage.alert("a", on: .watch) != nil)
        stage.read("a", at: 4)
        #expect(stage.alert("a") == nil && stage.alert("a", on: .watch) == nil)
        stage.focus("x", on: false, at: 5)
        #expect(stage.alert("a") == nil && stage.alert("a", on: .watch) == nil)
    }

    @Test("N15: a class's row needs the phone's beside it, and its key names its class")
    func damaged() {
        var stage = Stage.ready()
        stage.set(on: .watch, alerts: .off, at: 1)
        stage.post("a", at: 2)
        func loads(_ change: (inout [RowKey: Row]) -> Void) -> Bool {
            var rows = stage.rows
            change(&rows)
            return (try? UserState(user: .ada, version: stage.state.version, rows: rows)) != nil
        }
        let key = RowKey(.classAlerts, app: .chat, key: "watch/a")
        #expect(loads { _ in })
        #expect(!loads { $0[RowKey(.alerts, app: .chat, key: "a")] = nil })
        for other in ["tablet/a", "phone/a", "watch", "a"] {
            #expect(!loads { $0[RowKey(.classAlerts, app: .chat, key: other)] = $0.removeValue(forKey: key) })
        }
    }
}
