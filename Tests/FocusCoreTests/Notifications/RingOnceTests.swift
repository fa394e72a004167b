import Testing

@testable import FocusCore

/// Rules N18 and T4: where an alert rings first, and where after that.
@Suite("Ring once") struct RingOnceTests {
    private static let desktop = DeviceID(Stage.uuid(4_711))

    private func rings(_ stage: Stage, _ id: String = "n", on devices: [DeviceID] = [.phone, .watch, desktop]) -> [Bool]
    {
        devices.map { stage.alert(id)?.rings(on: $0) ?? false }
    }

    @Test("N18: nobody is in use: all ring at once, and nothing is due; the row's bytes are those of before")
    func nobody() {
        var stage = Stage.ready()
        stage.post("n", at: 1)
        #expect(rings(stage) == [true, true, true] && stage.state.dueRings() == nil)
        let row = AlertRow(AlertDecision(.now, .ordinary), introducesTimeSensitive: false, post: stage.state.version)
        #expect(stage.alert("n") == row)
        #expect(stage.state.row(RowKey(.deviceActivity)) == nil)
    }

    @Test("N18, T4: the device in use rings; unread for 30 s, the others do, and it does not again")
    func first() {
        var stage = Stage.ready()
        stage.use(.phone, at: 1)
        stage.use(Self.desktop, .desktop, at: 2)
        stage.post("n", at: 10)
        #expect(rings(stage) == [false, false, true])
        stage.fireTimers(at: 39.999_999)
        #expect(rings(stage) == [false, false, true] && stage.state.dueRings() == .at(40))
        let post = stage.alert("n")?.post
        stage.fireTimers(at: 40)
        #expect(rings(stage) == [true, true, true] && stage.state.dueRings() == nil)
        #expect(stage.alert("n")?.post == post && stage.alert("n")?.firstDevice == Self.desktop)
        #expect(stage.events.last?.body == .alertRingsElsewhere(AlertRingsElsewhere(dueAt: .at(40))))
        #expect(stage.events.last?.occurredAt == .at(40))
    }

    @Test("N18: what is read, removed or cleared within 30 s rings nowhere else", arguments: 0..<3)
    func settled(how: Int) {
        var stage = Stage.ready()
        stage.use(Self.desktop, .desktop, at: 1)
        stage.post("n", at: 2)
        switch how {
        case 0: stage.read("n", at: 31)
        case 1: stage.remove("n", at: 31)
        default: stage.clear(at: 31)
        }
        #expect(stage.state.dueRings() == nil)
        let count = stage.events.count
        stage.fireTimers(at: 33)
        #expect(stage.events.count == count && rings(stage) == [false, false, how == 0])
    }

    @Test("N18: a re-post rings first on the device in use again, and keeps nobody waiting longer")
    func again() {
        var stage = Stage.ready()
        stage.use(Self.desktop, .desktop, at: 1)
        stage.post("n", at: 2)
        let post = stage.alert("n")?.post
        stage.post("n", at: 20)
        #expect(stage.alert("n")?.post != post && rings(stage) == [false, false, true])
        #expect(stage.alert("n")?.othersAt == .at(32))
        stage.fireTimers(at: 32)
        #expect(rings(stage) == [true, true, true])
        stage.post("n", at: 33)
        #expect(stage.alert("n")?.othersAt == .at(63))
    }

    @Test("N18: which 256 alerts of many wait does not depend on which app was heard of first", arguments: 0..<3)
    func manyReleased(how: Int) throws {
        var stage = Stage.ready([.mail, .chat])
        stage.use(.phone, at: 1)
        if how == 0 {
            stage.configure("work", at: 2)
            stage.focus("work", on: true, at: 3)
        } else {
            stage.schedule([100], at: 2)
            stage.set(nil, scheduled: .on, at: 3)
        }
        for number in 0..<200 {
            stage.post("n\(number)", .mail, at: 4)
            stage.post("n\(number)", .chat, at: 4)
        }
        var reloaded = stage
        reloaded.state = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        func release(_ stage: inout Stage) {
            switch how {
            case 0: stage.focus("work", on: false, at: 5)
            case 1: stage.schedule([], at: 5)
            default: stage.set(nil, scheduled: .off, at: 5)
            }
        }
        release(&stage)
        release(&reloaded)
        let waiting = [AppID.chat, .mail].map { app in (0..<200).count { stage.alert("n\($0)", app)?.othersAt != nil } }
        #expect(waiting == [200, 56])
        #expect(reloaded.rows == stage.rows)
    }

    @Test("N18: critical alerts and those of governments ring everywhere at once, whatever is in front")
    func danger() {
        var stage = Stage.ready()
        stage.use(Self.desktop, .desktop, app: .chat, at: 1)
        stage.post("n", level: .critical, at: 2)
        let alert = GovernmentAlertPosted(NotificationPosted(notificationID: "m", title: "T", body: "B"))
        stage.send(.governmentAlertPosted(alert), app: .chat, at: 3)
        for id in ["n", "m"] {
            #expect(stage.decision(id)?.alert == .now && rings(stage, id) == [true, true, true])
        }
    }

    @Test("N18: an app that reports itself, on a device without a system session, keeps no alert of others waiting")
    func appSessions() {
        var stage = Stage.ready([.chat, .mail])
        stage.use(.tablet, .tablet, app: .mail, scope: .app(.mail), at: 1)
        stage.post("n", at: 2)
        #expect(rings(stage) == [true, true, true])
        stage.post("m", .mail, at: 3)
        #expect(stage.decision("m", .mail) == AlertDecision(.none, .inFront))
        stage.fireTimers(at: 33)
        #expect(stage.decision("m", .mail)?.alert == .now && stage.alert("m", .mail)?.firstDevice == nil)
    }

    @Test(
        "N9.7, N18: in front on the device in use: none; unread for 30 s it rings there, after 30 s more on the others")
    func inFront() {
        var stage = Stage.ready([.chat, .mail])
        stage.use(.phone, app: .chat, at: 1)
        stage.post("n", at: 2)
        stage.post("m", .mail, at: 2)
        #expect(stage.decision("n") == AlertDecision(.none, .inFront) && rings(stage) == [false, false, false])
        #expect(stage.alert("m", .mail)?.firstDevice == .phone)
        #expect(stage.notification("n")?.unread == true && stage.badge()?.count == 1)
        stage.fireTimers(at: 32)
        #expect(stage.decision("n") == AlertDecision(.now, .ordinary) && rings(stage) == [true, false, false])
        #expect(stage.events.count { $0.body.type == .alertRingsElsewhere } == 1 && stage.state.dueRings() == .at(62))
        stage.fireTimers(at: 62)
        #expect(rings(stage) == [true, true, true] && stage.state.dueRings() == nil)
    }

    @Test("N9.7: it keeps from ringing only what would ring: what a Focus holds goes on being held")
    func held() {
        var stage = Stage.ready()
        stage.use(.phone, app: .chat, at: 1)
        stage.configure("work", at: 2)
        stage.focus("work", on: true, at: 3)
        stage.post("n", at: 4)
        #expect(stage.decision("n")?.alert == .heldByFocus && stage.state.dueRings() == nil)
        // Released, it rings first on the device in use, though its app is in front: that was told before.
        stage.focus("work", on: false, at: 5)
        #expect(stage.decision("n")?.alert == .now && stage.alert("n")?.firstDevice == .phone)
        #expect(stage.alert("n")?.othersAt == .at(35))
    }

    @Test("T4: what is silenced, muted or would be held by a Focus by then rings nowhere else")
    func askedAgain() {
        var stage = Stage.ready()
        stage.use(.phone, app: .chat, at: 1)
        stage.post("n", at: 2)
        stage.use(.phone, at: 3)
        stage.post("m", at: 4)
        stage.configure("work", at: 5)
        stage.focus("work", on: true, at: 6)
        stage.fireTimers(at: 40)
        // What has rung nowhere is held, and released like any other. What has rung is not held: it is final.
        #expect(stage.decision("n")?.alert == .heldByFocus && rings(stage, "m") == [true, false, false])
        #expect(stage.decision("m") == AlertDecision(.now, .ordinary))
        stage.focus("work", on: false, at: 41)
        #expect(stage.decision("n")?.alert == .now && stage.state.dueRings() == .at(71))
        stage.send(.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: true)), at: 42)
        stage.fireTimers(at: 71)
        #expect(rings(stage) == [true, false, false] && stage.state.dueRings() == nil)
    }

    @Test("T4: what a summary let ring does not wait for the next one on the other devices")
    func ofSummary() throws {
        var stage = Stage.ready()
        stage.schedule([100], at: 1)
        stage.set(.chat, scheduled: .on, at: 2)
        stage.post("n", at: 3)
        #expect(stage.decision("n")?.alert == .heldForSummary)
        stage.use(.phone, at: 90)
        stage.fireTimers(at: 100)
        #expect(stage.decision("n")?.reason == .summary && rings(stage) == [true, false, false])
        stage.fireTimers(at: 130)
        #expect(rings(stage) == [true, true, true])
    }

    @Test("T4: five minutes late it rings, later it does not, and is not due any more", arguments: [false, true])
    func late(isTooLate: Bool) {
        var stage = Stage.ready()
        stage.use(Self.desktop, .desktop, at: 1)
        stage.post("n", at: 2)
        stage.fireTimers(at: isTooLate ? 332.000_001 : 332)
        #expect(stage.state.dueRings() == nil)
        #expect(rings(stage) == [!isTooLate, !isTooLate, true])
    }

    @Test("T4: of two servers one appends it, and nobody does before it is due")
    func once() {
        var stage = Stage.ready()
        stage.use(Self.desktop, .desktop, at: 1)
        stage.post("n", at: 2)
        let rings = EventBody.alertRingsElsewhere(AlertRingsElsewhere(dueAt: .at(32)))
        #expect(stage.state.validate(stage.timer(rings, due: .at(32)), scope: .system) != nil)
        stage.fireTimers(at: 32)
        #expect(stage.state.validate(stage.timer(rings, due: .at(32)), scope: .system) != nil)
        var other = Stage.ready()
        #expect(other.send(rings, at: 1) == .forbidden)
    }

    @Test("N18, N15: a class whose alerts are off does not ring first, and keeps nobody from ringing")
    func classes() {
        var stage = Stage.ready()
        stage.set(on: .desktop, alerts: .off, at: 0)
        stage.use(Self.desktop, .desktop, at: 1)
        stage.post("n", at: 2)
        #expect(stage.alert("n")?.firstDevice == nil && rings(stage, on: [.phone]) == [true])
        #expect(stage.state.dueRings() == nil)
        stage.use(.phone, at: 3)
        stage.post("m", at: 4)
        #expect(stage.alert("m")?.firstDevice == .phone && stage.state.dueRings() == .at(34))
        let key = ClassAlertKey(.desktop, ByteText("m")).rowKey(.chat)
        #expect(stage.value(AlertRow.self, key)?.decision == AlertDecision(.none, .alertsOff))
        stage.fireTimers(at: 34)
        #expect(rings(stage, "m", on: [.phone, .watch]) == [true, true])
        #expect(stage.value(AlertRow.self, key)?.rings(on: Self.desktop) == false)
    }

    @Test("N18: at most 256 alerts wait to ring elsewhere; one more rings everywhere at once")
    func bound() {
        var stage = Stage.ready()
        stage.use(Self.desktop, .desktop, at: 1)
        for number in 0...ActivityLimits.pendingRings { stage.post("n\(number)", at: 2) }
        #expect(stage.alert("n\(ActivityLimits.pendingRings - 1)")?.firstDevice == Self.desktop)
        #expect(rings(stage, "n\(ActivityLimits.pendingRings)") == [true, true, true])
        // One that waits already has its room.
        stage.post("n0", at: 3)
        #expect(stage.alert("n0")?.firstDevice == Self.desktop)
        stage.fireTimers(at: 33)
        #expect(stage.events.count { $0.body.type == .alertRingsElsewhere } == 1 && stage.state.dueRings() == nil)
    }

    @Test("N18: all of it survives a reload, at every step")
    func reload() throws {
        var (stage, other) = (Stage.ready(), Stage.ready())
        func step(_ body: (inout Stage) -> Void) throws {
            body(&stage)
            body(&other)
            other.state = try UserState(user: .ada, version: other.state.version, rows: other.rows)
            #expect(stage.rows == other.rows && stage.state.dueRings() == other.state.dueRings())
            #expect(stage.state.deviceInUse(at: stage.now) == other.state.deviceInUse(at: other.now))
        }
        try step { $0.set(on: .watch, alerts: .off, at: 0) }
        try step { $0.use(.phone, app: .mail, scope: .app(.mail), at: 1) }
        try step { $0.use(Self.desktop, .desktop, app: .chat, at: 2) }
        try step { $0.post("n", at: 3) }
        try step { $0.use(.phone, at: 4) }
        try step { $0.post("m", at: 5) }
        try step { $0.fireTimers(at: 33) }
        try step { $0.endUse(.phone, at: 34) }
        try step { $0.read("m", at: 34) }
        try step { $0.fireTimers(at: 70) }
        #expect(stage.events.count { $0.body.type == .alertRingsElsewhere } == 2)
    }

    @Test("N18: a pending ring whose notification is not there, or is read, is no row of a state")
    func corrupt() {
        var stage = Stage.ready()
        stage.use(.phone, at: 1)
        stage.post("n", at: 2)
        var rows = stage.rows
        rows[RowKey(.notifications, app: .chat, key: "n")] = nil
        #expect(throws: FoldError.self) { try UserState(user: .ada, version: stage.state.version, rows: rows) }
    }
}
