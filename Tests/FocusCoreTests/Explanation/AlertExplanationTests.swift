import Testing

@testable import FocusCore

@Suite("Inquiry: alerts") struct AlertExplanationTests {
    private struct Example: CustomTestStringConvertible, Sendable {
        var reason: AlertReason
        var rule: String
        var decides: Set<String>
        var prepare: @Sendable (inout Stage) -> Void
        var testDescription: String { "\(reason)" }

        init(
            _ reason: AlertReason, _ rule: String, _ decides: Set<String>,
            _ prepare: @escaping @Sendable (inout Stage) -> Void
        ) {
            (self.reason, self.rule, self.decides, self.prepare) = (reason, rule, decides, prepare)
        }
    }

    /// For each reason, the history that makes notification "n" come out with it.
    private static let examples: [Example] = [
        Example(.alertsOff, "N9.1", ["alerts"]) {
            $0.set(alerts: .off, at: 1)
            $0.post("n", at: 2)
        },
        Example(.provisional, "N9.1", ["authorization"]) {
            $0.authorize(.notifications, .provisional, at: 1)
            $0.post("n", at: 2)
        },
        Example(.passive, "N9.1", ["level"]) { $0.post("n", level: .passive, at: 2) },
        Example(.notAuthorized, "N9.1", ["authorization"]) {
            $0.configure("work", at: 1)
            $0.focus("work", on: true, at: 2)
            $0.post("n", at: 3)
            $0.authorize(.notifications, .denied, at: 4)
        },
        Example(.critical, "N9.2", ["level"]) { $0.post("n", level: .critical, at: 2) },
        Example(.muted, "N9.3", ["muted"]) {
            $0.mute(until: 9, at: 1)
            $0.post("n", at: 2)
        },
        Example(.focus, "N9.4", ["focus", "focusAllowsTimeSensitive", "focusAllowsApp", "focusAllowsSender"]) {
            $0.configure("work", at: 1)
            $0.focus("work", on: true, at: 2)
            $0.post("n", at: 3)
        },
        Example(.scheduledDelivery, "N9.5", ["scheduledDelivery"]) {
            $0.schedule([60], at: 1)
            $0.set(scheduled: .on, at: 1)
            $0.post("n", at: 3)
        },
        Example(.timeSensitive, "N9.6", ["level", "timeSensitive", "focusAllowsTimeSensitive"]) {
            $0.configure("work", timeSensitive: true, at: 1)
            $0.focus("work", on: true, at: 2)
            $0.post("n", level: .timeSensitive, at: 3)
        },
        Example(.allowedPerson, "N9.6", ["focusAllowsSender"]) {
            $0.send(
                .focusConfigured(FocusConfigured(focusID: "work", name: "Work", allowedPeople: ["anna"])), at: 1)
            $0.focus("work", on: true, at: 2)
            $0.donate("i", .incoming, at: 3)
            $0.communicate("n", about: "i", at: 4)
        },
        Example(.allowedApp, "N9.6", ["focusAllowsApp"]) {
            $0.configure("work", allows: [.chat], at: 1)
            $0.focus("work", on: true, at: 2)
            $0.post("n", at: 3)
        },
        Example(.silenced, "N9.0", ["silenced", "government"]) {
            $0.send(.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: true)), at: 1)
            $0.post("n", at: 2)
        },
        Example(.consent, "N9.0", ["marketing", "marketingConsent"]) {
            $0.authorize(.marketing, .authorized, at: 1)
            $0.configure("work", at: 1)
            $0.focus("work", on: true, at: 2)
            $0.post("n", marketing: true, at: 3)
            $0.authorize(.marketing, .denied, at: 4)
        },
        Example(.inFront, "N9.7", ["inFront"]) {
            $0.use(.phone, app: .chat, at: 1)
            $0.post("n", at: 2)
        },
        Example(.ordinary, "N9.6", ["focus", "scheduledDelivery"]) { $0.post("n", at: 2) },
        Example(.summary, "N10", ["scheduledDelivery"]) {
            $0.schedule([60], at: 1)
            $0.set(scheduled: .on, at: 1)
            $0.post("n", at: 3)
            $0.fireTimers(at: 61)
        },
    ]

    @Test("N9: each reason is explained by its rule and by the inputs that decided", arguments: examples)
    private func reasons(example: Example) throws {
        var stage = Stage.ready()
        example.prepare(&stage)
        let decision = try #require(stage.decision("n"))
        #expect(decision.reason == example.reason)
        let why = stage.whyAlert("n")
        #expect(why.decision == "\(decision.alert)" && why.rule == example.rule)
        #expect(why.sentence == example.reason.sentence && why.deciding == example.decides)
        #expect(why.types.contains(.notificationPosted) && why.version == stage.state.version)
        #expect(why.sources.contains { $0.key == RowKey(.alerts, app: .chat, key: "n") })
    }

    @Test("N9: there is an example of every reason that the phone's alert can have")
    func complete() {
        #expect(Set(Self.examples.map(\.reason)) == Set(AlertReason.allCases).subtracting([.read, .healed]))
    }

    @Test("N10, N15: read on one device: the watch's alert that waited is explained by that")
    func readWhileTheWatchWaits() {
        var stage = Stage.ready()
        stage.schedule([60], at: 1)
        stage.set(on: .watch, scheduled: .on, at: 1)
        stage.post("n", at: 2)
        #expect(stage.whyAlert("n", on: .watch).rule == "N9.5")
        #expect(stage.whyAlert("n").rule == "N9.6")
        stage.read("n", at: 3)
        let why = stage.whyAlert("n", on: .watch)
        #expect(why.decision == "none" && why.rule == "N10" && why.deciding == ["read"])
        #expect(stage.whyAlert("n").decision == "now")
    }

    @Test("N10: a release names the event that released, and what held before is not an input any more")
    func release() {
        var stage = Stage.ready()
        stage.configure("work", at: 1)
        stage.focus("work", on: true, at: 2)
        stage.post("n", at: 3)
        stage.focus("work", on: false, at: 4)
        let why = stage.whyAlert("n")
        #expect(why.decision == "now" && why["focus"] == "none")
        let release = why.causes.last
        #expect(release?.type == .focusChanged && release?.version == stage.state.version)
        #expect(release?.changes.contains(.init(key: RowKey(.alerts, app: .chat, key: "n"), kind: .changed)) == true)
    }

    @Test("E6: what comes after a final alert is not among what it rests on")
    func final() {
        var stage = Stage.ready()
        stage.post("n", at: 1)
        let before = stage.whyAlert("n")
        stage.configure("work", at: 2)
        stage.focus("work", on: true, at: 3)
        stage.set(alerts: .off, at: 4)
        let after = stage.whyAlert("n")
        #expect(after.inputs == before.inputs && after.causes == before.causes)
        #expect(after["focus"] == "none" && after["alerts"] == "true")
    }

    @Test("N7: not posted, refused, removed, cleared, born read: each is told from the others")
    func lists() {
        var stage = Stage.ready()
        #expect(stage.whyAlert("n").decision == "notPosted")
        stage.post("n", level: .critical, marketing: true, at: 1)
        #expect(stage.whyAlert("n").decision == "notPosted")
        stage.read("n", at: 3)
        stage.post("n", at: 2, from: .tablet)
        #expect(stage.whyAlert("n").rule == "N7" && stage.whyAlert("n").decision == "none")
        stage.remove("n", at: 4)
        #expect(stage.whyAlert("n").decision == "notListed")
        #expect(stage.why(.notification("n", .mail, .phone)).decision == "notPosted")
    }

    @Test("E3: an event that named it and lost is there, without a change")
    func losing() throws {
        var stage = Stage.ready()
        stage.post("n", at: 5)
        stage.post("n", at: 4, from: .tablet)
        let losing = try #require(stage.whyAlert("n").causes.last)
        #expect(losing.version == stage.state.version && losing.changes.isEmpty && losing.device == .tablet)
    }

    @Test("N7: of many changes the last fifty are told, and how many are left out")
    func bounded() {
        var stage = Stage.ready()
        for second in 1...60 { stage.post("n", at: Double(second)) }
        let why = stage.whyAlert("n")
        #expect(why.causes.count { $0.type == .notificationPosted } == Inquiry.historyLimit)
        #expect(why.omittedCauses == 10)
    }
}
