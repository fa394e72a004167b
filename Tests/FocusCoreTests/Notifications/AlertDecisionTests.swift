import Testing

@testable import FocusCore

@Suite("AlertDecision") struct AlertDecisionTests {
    private static let bools = [false, true]

    /// Every input to rule N9.
    private static var allInputs: [AlertInputs] {
        var all: [AlertInputs] = []
        let filters: [AlertInputs.FocusFilter?] =
            [nil]
            + (0..<8).map {
                AlertInputs.FocusFilter(
                    allowsTimeSensitive: $0 & 1 != 0, allowsApp: $0 & 2 != 0, allowsSender: $0 & 4 != 0)
            }
        for authorization in AuthorizationStatus.allCases {
            for level in InterruptionLevel.allCases {
                for filter in filters {
                    for bits in 0..<1_024 {
                        var inputs = AlertInputs(authorization: authorization, level: level)
                        inputs.focus = filter
                        inputs.isMarketing = bits & 1 != 0
                        inputs.isCommunication = bits & 2 != 0
                        inputs.alertsOn = bits & 4 != 0
                        inputs.timeSensitiveOn = bits & 8 != 0
                        inputs.isMuted = bits & 16 != 0
                        inputs.inScheduledDelivery = bits & 32 != 0
                        inputs.isSilenced = bits & 64 != 0
                        inputs.isGovernmentAlert = bits & 128 != 0
                        inputs.consentsToMarketing = bits & 256 != 0
                        inputs.isInFront = bits & 512 != 0
                        all.append(inputs)
                    }
                }
            }
        }
        return all
    }

    /// Rule N9 as Schema/rules/domain.md words it: lines of which the first match counts.
    static func stated(_ i: AlertInputs) -> AlertDecision {
        let timeSensitive = i.level == .timeSensitive && i.timeSensitiveOn
        let isListOnly = !i.alertsOn || i.authorization != .authorized || i.level == .passive
        let passesFocus =
            i.focus == nil || (timeSensitive && i.focus!.allowsTimeSensitive)
            || (!i.isMarketing && (i.focus!.allowsApp || (i.isCommunication && i.focus!.allowsSender)))
        let passesSchedule = !i.inScheduledDelivery || timeSensitive || i.isCommunication
        let why: AlertReason =
            !i.alertsOn
            ? .alertsOff
            : i.authorization == .provisional
                ? .provisional : i.authorization != .authorized ? .notAuthorized : .passive
        let brokeThrough: AlertReason =
            timeSensitive && (i.focus?.allowsTimeSensitive == true || i.inScheduledDelivery)
            ? .timeSensitive
            : i.focus == nil || i.isMarketing
                ? .ordinary
                : i.isCommunication && i.focus!.allowsSender
                    ? .allowedPerson : i.focus!.allowsApp ? .allowedApp : .ordinary
        let table: [(Bool, AlertDecision)] = [
            (i.isSilenced && !i.isGovernmentAlert, AlertDecision(.none, .silenced)),
            (i.isMarketing && !i.consentsToMarketing, AlertDecision(.none, .consent)),
            (isListOnly, AlertDecision(.none, why)),
            (i.level == .critical, AlertDecision(.now, .critical, overridesSilentSwitch: true)),
            (i.isMuted, AlertDecision(.none, .muted)),
            (!passesFocus, AlertDecision(.heldByFocus, .focus)),
            (!passesSchedule, AlertDecision(.heldForSummary, .scheduledDelivery)),
            (i.isInFront && !i.isGovernmentAlert, AlertDecision(.none, .inFront)),
            (true, AlertDecision(.now, brokeThrough)),
        ]
        return table.first { $0.0 }!.1
    }

    @Test("N9: the decision is what the rule says, for every input there is")
    func exhaustive() {
        let all = Self.allInputs
        #expect(all.count == 6 * 4 * 9 * 1_024)
        for inputs in all where AlertDecision(inputs) != Self.stated(inputs) {
            Issue.record("\(inputs): \(AlertDecision(inputs)), not \(Self.stated(inputs))")
            return
        }
    }

    private func inputs(
        _ level: InterruptionLevel, _ authorization: AuthorizationStatus = .authorized, app: Bool = false,
        person: Bool = false,
        timeSensitive: Bool = false, inFocus: Bool = true
    ) -> AlertInputs {
        var inputs = AlertInputs(authorization: authorization, level: level)
        if inFocus {
            inputs.focus = .init(allowsTimeSensitive: timeSensitive, allowsApp: app, allowsSender: person)
        }
        return inputs
    }

    @Test("N9.1: provisional and critical: none, no silent override")
    func provisional() {
        let decision = AlertDecision(inputs(.critical, .provisional))
        #expect(decision == AlertDecision(.none, .provisional, overridesSilentSwitch: false))
    }

    @Test("N9.2: critical, muted, in a Focus: now, overrides the silent switch")
    func critical() {
        var critical = inputs(.critical)
        critical.isMuted = true
        #expect(AlertDecision(critical) == AlertDecision(.now, .critical, overridesSilentSwitch: true))
    }

    @Test("N9.3: time sensitive and muted: none")
    func muted() {
        var muted = inputs(.timeSensitive, timeSensitive: true)
        muted.isMuted = true
        #expect(AlertDecision(muted) == AlertDecision(.none, .muted))
    }

    @Test("N9.4: marketing of an allowed app in a Focus: held")
    func marketing() {
        var marketing = inputs(.active, app: true)
        (marketing.isMarketing, marketing.consentsToMarketing) = (true, true)
        #expect(AlertDecision(marketing) == AlertDecision(.heldByFocus, .focus))
    }

    @Test("N9.5: a communication in scheduled delivery, no Focus: now")
    func scheduled() {
        var communication = inputs(.active, inFocus: false)
        communication.inScheduledDelivery = true
        #expect(AlertDecision(communication).alert == .heldForSummary)
        communication.isCommunication = true
        #expect(AlertDecision(communication) == AlertDecision(.now, .ordinary))
    }

    @Test("N9.6: an allowed person breaks through")
    func person() {
        var communication = inputs(.active, person: true)
        #expect(AlertDecision(communication).alert == .heldByFocus)
        communication.isCommunication = true
        #expect(AlertDecision(communication) == AlertDecision(.now, .allowedPerson))
    }
}
