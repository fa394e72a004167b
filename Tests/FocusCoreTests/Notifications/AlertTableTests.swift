import Testing

@testable import FocusCore

/// The table of rule N9, tested through events: what the fold makes of authorizations, settings, mutes, schedules,
/// Focuses and posts must equal the declarative statement for the same inputs.
@Suite("UserState: the alert table") struct AlertTableTests {
    private struct Case {
        var inputs: AlertInputs
        var bits: Int

        var isOnTheWatch: Bool { bits & 64 != 0 }
    }

    /// Every combination that a post without a sender can meet; rules N2 and N4 refuse the others.
    private static var cases: [Case] {
        var cases: [Case] = []
        let filters: [AlertInputs.FocusFilter?] =
            [nil]
            + (0..<4).map {
                AlertInputs.FocusFilter(
                    allowsTimeSensitive: $0 & 1 != 0, allowsApp: $0 & 2 != 0, allowsSender: false)
            }
        for authorization in [AuthorizationStatus.authorized, .provisional] {
            for level in InterruptionLevel.allCases {
                for filter in filters {
                    for bits in 0..<256 where bits & 1 == 0 || level < .timeSensitive {
                        var inputs = AlertInputs(authorization: authorization, level: level)
                        inputs.focus = filter
                        inputs.isMarketing = bits & 1 != 0
                        inputs.consentsToMarketing = true
                        inputs.alertsOn = bits & 2 != 0
                        inputs.timeSensitiveOn = bits & 4 != 0
                        inputs.isMuted = bits & 8 != 0
                        inputs.inScheduledDelivery = bits & 16 != 0
                        inputs.isSilenced = bits & 128 != 0
                        cases.append(Case(inputs: inputs, bits: bits))
                    }
                }
            }
        }
        return cases
    }

    /// A stage on which a post meets these inputs. If the case is on the watch, the phone's settings are the opposite.
    private func play(_ test: Case) -> Stage {
        let inputs = test.inputs
        var stage = Stage.ready(status: inputs.authorization)
        stage.authorize(.marketing, .authorized, at: 0)
        if inputs.isSilenced { stage.send(.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: true)), at: 1) }
        if inputs.isMuted { stage.mute(until: 100, at: 1) }
        if inputs.inScheduledDelivery || test.bits & 32 != 0 { stage.schedule([1_000], at: 1) }
        let isOn = { (value: Bool) in value ? SwitchChoice.on : .off }
        stage.set(
            on: test.isOnTheWatch ? .watch : nil, alerts: isOn(inputs.alertsOn),
            timeSensitive: isOn(inputs.timeSensitiveOn), scheduled: isOn(inputs.inScheduledDelivery), at: 1)
        if test.isOnTheWatch {
            stage.set(
                alerts: isOn(!inputs.alertsOn), timeSensitive: isOn(!inputs.timeSensitiveOn),
                scheduled: isOn(!inputs.inScheduledDelivery), at: 1)
        }
        if let focus = inputs.focus {
            stage.configure(
                "x", allows: focus.allowsApp ? [.chat] : [], timeSensitive: focus.allowsTimeSensitive, at: 1)
            stage.focus("x", on: true, at: 1)
        }
        #expect(stage.post("a", level: inputs.level, marketing: inputs.isMarketing, at: 2) == nil)
        return stage
    }

    @Test("N9: through events, for the phone and the watch, every combination comes out as the rule says")
    func throughEvents() {
        let cases = Self.cases
        #expect(cases.count == 2 * 5 * (2 * 256 + 2 * 128))
        for test in cases {
            let stage = play(test)
            let found = stage.decision("a", on: test.isOnTheWatch ? .watch : .phone)
            guard found == AlertDecisionTests.stated(test.inputs) else {
                Issue.record("\(test): \(String(describing: found)), not \(AlertDecisionTests.stated(test.inputs))")
                return
            }
        }
    }
}
