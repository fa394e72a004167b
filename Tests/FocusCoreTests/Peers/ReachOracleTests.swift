import SeededNumbers
import Testing

@testable import FocusCore

/// Rule F6 over random histories: the answer is what becomes of a message that is sent then.
@Suite("Would it reach you: against what comes") struct ReachOracleTests {
    private static let people = ["anna", UserID.bob.description]

    @Test(
        "F6, N9: what is answered is what happens to the alert of such a post", arguments: 1...40 as ClosedRange<UInt64>
    )
    func same(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var stage = ReachTests.shared()
        var answers: Set<String> = []
        for step in 2...90 {
            Self.change(&stage, Double(step), &random)
            for level in InterruptionLevel.allCases {
                check(stage, level, isCommunication: false, Double(step), seed, &answers)
            }
            check(stage, .active, isCommunication: true, Double(step), seed, &answers)
        }
        #expect(answers.count > 1, "seed \(seed)")
    }

    private func check(
        _ stage: Stage, _ level: InterruptionLevel, isCommunication: Bool, _ second: Double, _ seed: UInt64,
        _ answers: inout Set<String>
    ) {
        let reach = ReachTests.ask(stage, level: level, communication: isCommunication, at: second + 0.5)
        var sent = stage
        let refusal: RefusalCode?
        if isCommunication {
            sent.donate("i", .incoming, with: UserID.bob.description, at: second + 0.4)
            refusal = sent.communicate("n", about: "i", at: second + 0.5)
        } else {
            refusal = sent.post("n", level: level, at: second + 0.5)
        }
        // Who may not know is answered alike, whatever becomes of the message.
        guard sent.state.status(in: .chat, shownTo: ReachTests.bob) != nil else {
            #expect(reach == .untold, "seed \(seed), second \(second)")
            return
        }
        let alerts = refusal == nil ? DeviceClass.allCases.compactMap { sent.decision("n", on: $0)?.alert } : []
        answers.insert("\(alerts.first.map { "\($0)" } ?? "refused")")
        let isRight =
            switch reach {
            case .ringsNow: alerts.contains(.now)
            case .nextSummary: alerts.contains(.heldForSummary) && !alerts.contains(.now)
            case .waits(.some): alerts.contains(.heldByFocus) && !alerts.contains(.now)
            case .waits(nil): !alerts.contains(.now) && !alerts.contains(.heldForSummary)
            }
        #expect(isRight, "seed \(seed), second \(second): \(reach) of \(level), but \(alerts)")
    }

    /// A change after which Ada keeps nothing from Bob but what he may not know in any case.
    private static func change(_ stage: inout Stage, _ second: Double, _ random: inout SplitMix64) {
        func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        switch pick(10) {
        case 0, 1:
            let focus = FocusConfigured(
                focusID: "f\(pick(2))", name: "F", allowedApps: pick(4) == 0 ? [.chat] : [],
                allowedPeople: pick(2) == 0 ? [ByteText(people[pick(2)])] : [], allowsTimeSensitive: pick(2) == 0)
            stage.send(.focusConfigured(focus), at: second)
        case 2, 3, 4:
            stage.focus("f\(pick(2))", on: pick(3) > 0, until: pick(2) == 0 ? second + 500 : nil, at: second)
        case 5:
            let deviceClass: DeviceClass? = pick(2) == 0 ? nil : .desktop
            stage.set(
                on: deviceClass, alerts: pick(4) == 0 ? .off : .on, timeSensitive: pick(3) == 0 ? .off : .on,
                scheduled: pick(2) == 0 ? .on : .off, at: second)
        case 6: stage.schedule(pick(3) == 0 ? [] : [8 * 60], at: second)
        case 7: if pick(2) == 0 { stage.mute(until: second + 5, at: second) } else { stage.unmute(at: second) }
        case 8:
            let statuses: [AuthorizationStatus] = [.authorized, .authorized, .authorized, .denied]
            stage.authorize(pick(2) == 0 ? .notifications : .focusStatus, statuses[pick(4)], at: second)
        default:
            let member = AudienceChanged(add: pick(4) > 0 ? [.bob] : [], remove: [])
            stage.send(
                .audienceChanged(member.add.isEmpty ? AudienceChanged(remove: [.bob]) : member), app: .chat, at: second)
        }
    }
}
