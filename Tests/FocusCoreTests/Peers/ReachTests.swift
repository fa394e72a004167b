import SeededNumbers
import Testing

@testable import FocusCore

/// Rule F6: whether a message of Bob would reach Ada. The stage begins at 22:13:20, so a quarter of an hour ends at
/// second 100, and the next ones at 1,000 and 1,900.
@Suite("Would it reach you") struct ReachTests {
    static let bob = Viewer(user: .bob, scope: .app(.chat))

    /// Ada shares her status in Chat with Bob.
    static func shared(_ apps: [AppID] = [.chat]) -> Stage {
        var stage = Stage.ready(apps)
        for app in apps { stage.send(.audienceChanged(AudienceChanged(add: [.bob])), app: app, at: 1) }
        return stage
    }

    /// Summaries come at full thousands of the stage's seconds.
    static func nextSummary(_ schedule: SummarySchedule, _ time: Timestamp) -> Timestamp? {
        let second = time.microseconds(since: .at(0)) / 1_000_000
        return .at(Double((second / 1_000 + 1) * 1_000))
    }

    static func ask(
        _ stage: Stage, level: InterruptionLevel = .active, communication: Bool = false, app: AppID = .chat,
        from viewer: Viewer = bob, at second: Double
    ) -> Reach {
        let question = ReachQuestion(user: .ada, app: app, level: level, isCommunication: communication)
        return stage.state.reach(question, from: viewer, at: .at(second), nextSummary: nextSummary)
    }

    // MARK: Answers

    @Test("F6: without a Focus it rings now, whichever level it has, but for passive, which never rings")
    func ordinary() {
        let stage = Self.shared()
        for level in [InterruptionLevel.active, .timeSensitive, .critical] {
            #expect(Self.ask(stage, level: level, at: 5) == .ringsNow)
        }
        #expect(Self.ask(stage, communication: true, at: 5) == .ringsNow)
        #expect(Self.ask(stage, level: .passive, at: 5) == .untold)
    }

    @Test(
        "F6: under a Focus with an end it waits until then at most, rounded up to a quarter of an hour",
        arguments: [(60.0, 100.0), (100, 100), (100.000001, 1_000), (999, 1_000), (1_000.5, 1_900)])
    func end(_ end: Double, _ told: Double) {
        var stage = Self.shared()
        stage.configure("f", at: 2)
        stage.focus("f", on: true, until: end, at: 3)
        #expect(Self.ask(stage, at: 5) == .waits(atMost: .at(told)))
        #expect(Self.ask(stage, communication: true, at: 5) == .waits(atMost: .at(told)))
        #expect(Self.ask(stage, level: .critical, at: 5) == .ringsNow)
    }

    @Test("F6: of a Focus without an end no time is told; of one whose end has passed, none in the past")
    func open() {
        var stage = Self.shared()
        stage.configure("f", at: 2)
        stage.focus("f", on: true, at: 3)
        #expect(Self.ask(stage, at: 5) == .untold)
        stage.focus("f", on: true, until: 60, at: 6)
        #expect(Self.ask(stage, at: 300) == .waits(atMost: .at(1_000)))
        stage.focus("f", on: true, until: 9_221_672_036_801, at: 7)
        #expect(Self.ask(stage, at: 8) == .untold, "there is no quarter of an hour so late")
    }

    @Test("F6: in scheduled delivery it comes with the next summary; a communication and a time-sensitive one ring")
    func summary() {
        var stage = Self.shared()
        stage.set(scheduled: .on, at: 2)
        #expect(Self.ask(stage, at: 5) == .ringsNow, "without a time in the schedule nothing waits")
        stage.schedule([8 * 60], at: 3)
        #expect(Self.ask(stage, at: 5) == .nextSummary(at: .at(1_000)))
        #expect(Self.ask(stage, communication: true, at: 5) == .ringsNow)
        #expect(Self.ask(stage, level: .timeSensitive, at: 5) == .ringsNow)
        stage.configure("f", at: 6)
        stage.focus("f", on: true, until: 1_500, at: 7)
        #expect(Self.ask(stage, at: 8) == .waits(atMost: .at(2_000)), "the first summary after the Focus")
        #expect(Self.ask(stage, communication: true, at: 8) == .waits(atMost: .at(1_900)))
    }

    @Test("F6: a Focus lets through whom and what it allows: the asker by their user id, and time-sensitive ones")
    func allowed() {
        var stage = Self.shared()
        let focus = FocusConfigured(
            focusID: "f", name: "f", allowedPeople: ["\(UserID.bob)"], allowsTimeSensitive: true)
        stage.send(.focusConfigured(focus), at: 2)
        stage.focus("f", on: true, at: 3)
        stage.send(.audienceChanged(AudienceChanged(add: [.ada])), app: .chat, at: 4)
        #expect(Self.ask(stage, communication: true, at: 5) == .ringsNow)
        #expect(Self.ask(stage, at: 5) == .untold)
        #expect(Self.ask(stage, level: .timeSensitive, at: 5) == .ringsNow)
        let another = Viewer(user: .ada, scope: .app(.chat))
        #expect(Self.ask(stage, communication: true, from: another, at: 5) == .untold)
        stage.set(timeSensitive: .off, at: 6)
        #expect(Self.ask(stage, level: .timeSensitive, at: 7) == .untold)
    }

    @Test("F6, N15: where classes of device differ, it reaches the person where it rings")
    func classes() {
        var stage = Self.shared()
        stage.set(alerts: .off, at: 2)
        #expect(Self.ask(stage, at: 5) == .untold)
        stage.set(on: .desktop, alerts: .on, at: 3)
        #expect(Self.ask(stage, at: 5) == .ringsNow)
    }

    // MARK: What is kept from the asker

    @Test("F6, N17, N18: silence, a Focus that is not shared, and what is in front, change no answer")
    func kept() {
        for level in InterruptionLevel.allCases {
            var stage = Self.shared()
            let before = Self.ask(stage, level: level, at: 5)
            stage.send(.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: true)), at: 2)
            stage.configure("f", shares: false, at: 3)
            stage.focus("f", on: true, until: 60, at: 4)
            stage.use(.phone, app: .chat, at: 4)
            #expect(Self.ask(stage, level: level, at: 5) == before)
        }
    }

    @Test("F6, F4: a Focus that only a report tells of lets nothing through and has no end")
    func reported() {
        var stage = Self.shared()
        stage.configure("f", timeSensitive: true, shares: false, at: 2)
        stage.focus("f", on: true, until: 60, at: 3)
        stage.send(.focusStatusReported(FocusStatusReported(isFocused: true)), app: .chat, at: 4, scope: .app(.chat))
        #expect(stage.state.status(in: .chat, shownTo: Self.bob) == true)
        #expect(Self.ask(stage, level: .timeSensitive, at: 5) == .untold)
        #expect(Self.ask(stage, at: 5) == .untold)
        stage.send(.focusStatusReported(FocusStatusReported(isFocused: false)), app: .chat, at: 6, scope: .app(.chat))
        #expect(Self.ask(stage, at: 7) == .ringsNow)
    }

    @Test("F6: wherever nothing may be said, the answer is that of a Focus without an end")
    func untold() {
        let stage = Self.shared()
        #expect(Self.ask(stage, at: 5) == .ringsNow, "or the rest would prove nothing")
        #expect(Self.ask(stage, from: Viewer(user: .ada, scope: .app(.chat)), at: 5) == .untold)
        #expect(Self.ask(stage, from: Viewer(user: .bob, scope: .app(.mail)), at: 5) == .untold, "another app's")
        #expect(Self.ask(stage, app: .mail, from: Viewer(user: .bob, scope: .system), at: 5) == .untold)
        #expect(Self.ask(stage, from: Viewer(user: .bob, scope: .system), at: 5) == .ringsNow)
        let question = ReachQuestion(user: .ada, app: .chat)
        let nobody = UserState(user: .ada)
        #expect(nobody.reach(question, from: Self.bob, at: .at(5), nextSummary: Self.nextSummary) == .untold)
        let changes: [(inout Stage) -> Void] = [
            { $0.send(.audienceChanged(AudienceChanged(remove: [.bob])), app: .chat, at: 2) },
            { $0.authorize(.notifications, .denied, at: 2) },
            { $0.authorize(.notifications, .provisional, at: 2) },
            { $0.authorize(.focusStatus, .denied, at: 2) },
            { $0.set(alerts: .off, at: 2) },
            { $0.mute(until: 60, at: 2) },
        ]
        for change in changes {
            var stage = stage
            change(&stage)
            #expect(Self.ask(stage, at: 5) == .untold)
        }
    }

    @Test("F6, N3, N5: a level and a communication that the app may not use reach nobody")
    func capabilities() {
        var stage = Self.shared()
        stage.register(capabilities: [.communication], at: 2)
        #expect(Self.ask(stage, communication: true, at: 5) == .ringsNow)
        #expect(Self.ask(stage, level: .critical, at: 5) == .untold)
        #expect(Self.ask(stage, level: .timeSensitive, at: 5) == .untold)
        // It is visible by a report, because nobody registered it.
        var reporting = Stage()
        reporting.send(
            .focusStatusReported(FocusStatusReported(isFocused: false)), app: .mail, at: 1, scope: .app(.mail))
        reporting.send(.audienceChanged(AudienceChanged(add: [.bob])), app: .mail, at: 2)
        let viewer = Viewer(user: .bob, scope: .app(.mail))
        #expect(reporting.state.status(in: .mail, shownTo: viewer) == false)
        #expect(Self.ask(reporting, app: .mail, from: viewer, at: 5) == .untold)
    }
}
