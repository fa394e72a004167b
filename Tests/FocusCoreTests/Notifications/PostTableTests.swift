import Testing

@testable import FocusCore

/// The other tables of rules N2 to N9: which posts are accepted, and the alerts of communications, whose sender counts.
@Suite("UserState: the tables of posts and communications") struct PostTableTests {
    private enum Interaction: CaseIterable {
        case none, incoming, outgoing
        var id: String? { self == .none ? nil : "\(self)" }
    }

    private struct Case {
        var authorization: AuthorizationStatus
        var hasConsent: Bool
        var capabilities: Set<AppCapability>
        var level: InterruptionLevel
        var marketing: Bool
        var interaction: Interaction

        /// Every rule that the post breaks; the server names whichever it checks first.
        var broken: Set<RefusalCode> {
            let needs: [(Bool, RefusalCode)] = [
                (authorization != .authorized && authorization != .provisional, .notAuthorized),
                (level == .critical && !capabilities.contains(.critical), .entitlementRequired),
                (level == .timeSensitive && !capabilities.contains(.timeSensitive), .capabilityRequired),
                (interaction != .none && !capabilities.contains(.communication), .capabilityRequired),
                (interaction == .outgoing, .interactionNotDonated),
                (marketing && !hasConsent, .marketingConsentRequired),
                (marketing && level >= .timeSensitive, .marketingInterruptionLevel),
                (marketing && interaction != .none, .marketingCommunication),
            ]
            return Set(needs.filter(\.0).map(\.1))
        }
    }

    private static var cases: [Case] {
        var cases: [Case] = []
        for authorization in AuthorizationStatus.allCases {
            for bits in 0..<32 {
                var capabilities: Set<AppCapability> = [.siriKit]
                if bits & 1 != 0 { capabilities.insert(.critical) }
                if bits & 2 != 0 { capabilities.insert(.timeSensitive) }
                if bits & 4 != 0 { capabilities.insert(.communication) }
                for level in InterruptionLevel.allCases {
                    for interaction in Interaction.allCases {
                        cases.append(
                            Case(
                                authorization: authorization, hasConsent: bits & 8 != 0, capabilities: capabilities,
                                level: level, marketing: bits & 16 != 0, interaction: interaction))
                    }
                }
            }
        }
        return cases
    }

    @Test("N2, N3, N4, N5: a post is refused by a rule that it breaks, and accepted when it breaks none")
    func refusals() {
        let cases = Self.cases
        #expect(cases.count == 6 * 32 * 4 * 3)
        for test in cases {
            var stage = Stage()
            stage.register(capabilities: test.capabilities, at: 0)
            stage.authorize(.notifications, test.authorization, at: 0)
            if test.hasConsent { stage.authorize(.marketing, .authorized, at: 0) }
            stage.donate("incoming", .incoming, at: 0)
            stage.donate("outgoing", .outgoing, at: 0)
            let body = NotificationPosted(
                notificationID: "n", title: "T", body: "B", level: test.level, marketing: test.marketing,
                interactionID: test.interaction.id)
            let code = stage.send(.notificationPosted(body), app: .chat, at: 1)
            guard code.map(test.broken.contains) ?? test.broken.isEmpty,
                (code == nil) == (stage.notification("n") != nil)
            else {
                Issue.record("\(test): \(String(describing: code)), not one of \(test.broken)")
                return
            }
        }
    }

    @Test("N9, N5: a communication's alert, through events, for every level, Focus, sender and setting")
    func communications() {
        for level in InterruptionLevel.allCases {
            for bits in 0..<256 {
                let isOn = { (bit: Int) in bits & bit != 0 }
                // A communication is decided as active, by its sender (Schema/rules/domain.md, section 4).
                var inputs = AlertInputs(authorization: isOn(1) ? .authorized : .provisional, level: .active)
                inputs.isCommunication = true
                inputs.alertsOn = isOn(2)
                inputs.isMuted = isOn(4)
                inputs.inScheduledDelivery = isOn(8)
                if isOn(16) {
                    inputs.focus = .init(allowsTimeSensitive: isOn(32), allowsApp: isOn(64), allowsSender: isOn(128))
                }
                let found = play(inputs, level).decision("n")
                guard found == AlertDecisionTests.stated(inputs) else {
                    Issue.record("\(level), \(inputs): \(String(describing: found))")
                    return
                }
            }
        }
    }

    private func play(_ inputs: AlertInputs, _ level: InterruptionLevel) -> Stage {
        var stage = Stage.ready(status: inputs.authorization)
        stage.donate("i", .incoming, with: "anna", at: 1)
        stage.donate("j", .incoming, with: "bob", at: 1)
        if inputs.isMuted { stage.mute(until: 100, at: 1) }
        stage.schedule([1_000], at: 1)
        stage.set(alerts: inputs.alertsOn ? .on : .off, scheduled: inputs.inScheduledDelivery ? .on : .off, at: 1)
        if let focus = inputs.focus {
            let body = FocusConfigured(
                focusID: "x", name: "X", allowedApps: focus.allowsApp ? [.chat] : [],
                allowedPeople: focus.allowsSender ? ["anna"] : ["bob"], allowsTimeSensitive: focus.allowsTimeSensitive)
            stage.send(.focusConfigured(body), at: 1)
            stage.focus("x", on: true, at: 1)
        }
        #expect(stage.communicate("n", about: "i", level: level, at: 2) == nil)
        return stage
    }
}
