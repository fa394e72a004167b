import Testing

@testable import FocusCore

/// Scheduled delivery. Minute n of a day is second n on the stage's clock (see `Stage.dueSummary`).
@Suite("UserState: scheduled delivery") struct SummaryTests {
    /// The apps are in scheduled delivery, with summaries at 100 and 200.
    private func scheduled(_ apps: [AppID] = [.chat]) -> Stage {
        var stage = Stage.ready(apps)
        stage.schedule([200, 100], at: 1)
        for app in apps { stage.set(app, scheduled: .on, at: 1) }
        return stage
    }

    @Test("N9.5: it waits for the summary; T3: which releases it")
    func delivered() {
        var stage = scheduled()
        stage.post("a", at: 2)
        #expect(stage.decision("a") == AlertDecision(.heldForSummary, .scheduledDelivery))
        #expect(stage.notification("a")?.unread == true && stage.badge()?.count == 1)
        stage.fireTimers(at: 99.9)
        #expect(stage.decision("a")?.alert == .heldForSummary)
        stage.fireTimers(at: 100)
        #expect(stage.decision("a") == AlertDecision(.now, .summary) && stage.alert("a")?.summaryRank == 1)
        #expect(stage.events.last?.occurredAt == .at(100))
    }

    @Test("N9: time sensitive overrides scheduled delivery, unless it is off for the app; critical does")
    func overrides() {
        var stage = scheduled()
        stage.post("t", level: .timeSensitive, at: 2)
        stage.post("c", level: .critical, at: 2)
        #expect(stage.decision("t") == AlertDecision(.now, .timeSensitive))
        #expect(stage.decision("c")?.reason == .critical)
        stage.set(timeSensitive: .off, at: 3)
        stage.post("t2", level: .timeSensitive, at: 4)
        #expect(stage.decision("t2")?.alert == .heldForSummary)
        stage.set(timeSensitive: .on, at: 5)
        #expect(stage.decision("t2") == AlertDecision(.now, .timeSensitive))
    }

    @Test("N10: a summary is ordered by relevance, then newest first, over all apps")
    func order() {
        var stage = scheduled([.chat, .mail])
        let posts: [(String, AppID, Double, Double)] = [
            ("old", .chat, 0.5, 2), ("low", .mail, 0.25, 3), ("new", .mail, 0.5, 4), ("top", .chat, 1, 5),
        ]
        for (id, app, relevance, second) in posts {
            let body = NotificationPosted(notificationID: id, title: "T", body: "B", relevance: relevance)
            stage.send(.notificationPosted(body), app: app, at: second)
        }
        stage.fireTimers(at: 100)
        #expect(stage.alert("top")?.summaryRank == 1 && stage.alert("new", .mail)?.summaryRank == 2)
        #expect(stage.alert("old")?.summaryRank == 3 && stage.alert("low", .mail)?.summaryRank == 4)
    }

    @Test("E3, N10: the same schedule written again decides nothing again")
    func writtenAgain() {
        var stage = scheduled()
        stage.post("a", at: 2)
        stage.mute(until: 50, at: 3)
        stage.schedule([100, 200], at: 4, from: .tablet)
        #expect(stage.decision("a") == AlertDecision(.heldForSummary, .scheduledDelivery))
        stage.fireTimers(at: 100)
        #expect(stage.decision("a") == AlertDecision(.now, .summary))
        // No schedule, and one without times, are the same.
        var muted = Stage.ready()
        muted.configure("work", at: 1)
        muted.focus("work", on: true, at: 2)
        muted.post("a", at: 3)
        muted.mute(until: 50, at: 4)
        muted.schedule([], at: 5)
        #expect(muted.decision("a") == AlertDecision(.heldByFocus, .focus))
    }

    @Test("N10: what was read, removed or cleared meanwhile is not released", arguments: 0..<3)
    func readMeanwhile(_ way: Int) {
        var stage = scheduled()
        stage.post("a", at: 2)
        stage.post("b", .chat, at: way == 2 ? 9 : 3)
        switch way {
        case 0: stage.read("a", at: 4)
        case 1: stage.remove("a", at: 4)
        default: stage.clear(at: 4, from: .tablet)
        }
        stage.fireTimers(at: 100)
        #expect(stage.alert("a") == nil && stage.alert("b")?.summaryRank == 1)
    }

    @Test("N10: under a Focus, what does not pass it waits for the next summary")
    func underAFocus() {
        var stage = scheduled([.chat, .mail])
        stage.configure("x", allows: [.mail], at: 2)
        stage.post("a", at: 3)
        stage.post("m", .mail, at: 3)
        stage.focus("x", on: true, at: 50)
        stage.fireTimers(at: 100)
        #expect(stage.decision("a")?.alert == .heldByFocus)
        #expect(stage.decision("m", .mail) == AlertDecision(.now, .summary))
        stage.focus("x", on: false, at: 150)
        #expect(stage.decision("a")?.alert == .heldForSummary)
        stage.fireTimers(at: 200)
        #expect(stage.decision("a") == AlertDecision(.now, .summary))
    }

    @Test("N10: the summary itself asks the Focus, for whatever reason an alert waits")
    func asksTheFocus() throws {
        var stage = scheduled()
        stage.post("a", at: 3)
        stage.configure("x", at: 4)
        stage.focus("x", on: true, at: 5)
        // Writes an alert that waits for the summary although a Focus holds it.
        var row = try #require(stage.alert("a"))
        row.decision = AlertDecision(.heldForSummary, .scheduledDelivery)
        var (record, shared) = (stage.state.apps[0], stage.state.shared)
        record.writeAlerts(ByClass(repeating: row), of: ByteText("a"), &shared)
        let post = try #require(record.list[ByteText("a")].post)
        #expect(try !record.releaseAlert(of: ByteText("a"), post, rank: 1, &shared))
        (stage.state.apps[0], stage.state.shared) = (record, shared)
        #expect(stage.decision("a")?.alert == .heldForSummary)
    }

    @Test("N10: alerts turned off while it waits: none; taken out of scheduled delivery: it rings")
    func settingsChange() {
        var stage = scheduled()
        stage.post("a", at: 2)
        stage.set(alerts: .off, at: 3)
        #expect(stage.decision("a") == AlertDecision(.none, .alertsOff))
        stage.set(alerts: .on, at: 4)
        // The decision `none` is final.
        #expect(stage.decision("a") == AlertDecision(.none, .alertsOff))
        stage.post("b", at: 5)
        stage.set(scheduled: .off, at: 0.5, from: .tablet)
        #expect(stage.decision("b")?.alert == .heldForSummary)
        stage.set(scheduled: .off, at: 6, from: .tablet)
        #expect(stage.decision("b") == AlertDecision(.now, .ordinary))
    }

    @Test("N10: alerts turned off for all apps while held by a Focus: none")
    func turnedOffInFocus() {
        var stage = Stage.ready()
        stage.configure("x", at: 1)
        stage.focus("x", on: true, at: 2)
        stage.post("a", at: 3)
        stage.set(nil, alerts: .off, at: 4)
        #expect(stage.decision("a") == AlertDecision(.none, .alertsOff))
    }

    @Test("N16: a schedule without times holds nothing; its last time taken away releases what waits")
    func noTimes() {
        var stage = Stage.ready()
        stage.set(scheduled: .on, at: 1)
        stage.post("a", at: 2)
        #expect(stage.decision("a") == AlertDecision(.now, .ordinary))
        stage.schedule([100], at: 3)
        stage.post("b", at: 4)
        #expect(stage.decision("b")?.alert == .heldForSummary)
        stage.schedule([], zone: "", at: 2.5, from: .tablet)
        #expect(stage.decision("b")?.alert == .heldForSummary && stage.state.summarySchedule != nil)
        stage.schedule([], zone: "", at: 5, from: .tablet)
        #expect(stage.decision("b") == AlertDecision(.now, .ordinary))
        #expect(stage.state.summarySchedule == nil)
        #expect(stage.value(DeliveryScheduleRow.self, RowKey(.deliverySchedule)) == nil)
    }

    @Test("N10: a class with scheduled delivery of its own has its own place in the summary")
    func classes() {
        var stage = Stage.ready()
        stage.schedule([100], at: 1)
        stage.set(on: .watch, scheduled: .on, at: 1)
        stage.post("a", at: 2)
        stage.set(scheduled: .on, at: 3)
        stage.post("b", at: 4)
        stage.fireTimers(at: 100)
        #expect(stage.decision("a") == AlertDecision(.now, .ordinary) && stage.alert("a")?.summaryRank == nil)
        #expect(stage.alert("a", on: .watch)?.summaryRank == 2 && stage.alert("b")?.summaryRank == 1)
        #expect(stage.alert("b", on: .watch) == nil)
    }

    @Test("E5: at most 24 times, each a minute of the day, and a zone's name")
    func bounds() {
        var stage = Stage.ready()
        #expect(stage.schedule(Set(0..<24), at: 1) == nil)
        #expect(stage.schedule(Set(0..<25), at: 1) == .tooMany)
        #expect(stage.schedule([0, 1_439], at: 1) == nil)
        for time in [-1, 1_440, .min, .max] as [Int32] { #expect(stage.schedule([time], at: 1) == .fieldInvalid) }
        #expect(stage.schedule([1], zone: "", at: 1) == .fieldMissing)
        #expect(stage.schedule([1], zone: String(repeating: "x", count: 64), at: 1) == nil)
        #expect(stage.schedule([1], zone: String(repeating: "x", count: 65), at: 1) == .stringTooLong)
        #expect(stage.schedule([1], zone: "a\0", at: 1) == .fieldInvalid)
        #expect(stage.schedule([], zone: "", at: 1) == nil)
    }
}
