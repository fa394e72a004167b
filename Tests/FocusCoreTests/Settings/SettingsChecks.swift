import Testing

@testable import FocusCore

/// Properties of settings and summaries that hold after every event of a history.
enum SettingsChecks {
    static func compare(_ stage: Stage, _ model: ReferenceModel, _ app: AppID, unread: Int, _ place: Comment) {
        settings(stage, model, app, place)
        badge(stage, model, app, unread, place)
        for number in 0..<6 { alerts(stage, "n\(number)", app, place) }
        let waiting = stage.state.shared.store.rows.inUse.contains { row in
            guard [.alerts, .classAlerts].contains(row.key.collection), !row.isDeleted else { return false }
            return (try? AlertRow(decoding: row.value).decision.alert) == .heldForSummary
        }
        #expect((stage.state.shared.summary.waitingSince != nil) == waiting, place)
    }

    /// Rules N15 and N16: the settings of each class are those of the first place that has a value.
    private static func settings(_ stage: Stage, _ model: ReferenceModel, _ app: AppID, _ place: Comment) {
        let isExpected = model.registration(app) != nil && model.hasSettings(app)
        let row = stage.settings(app)
        #expect((row != nil) == isExpected, place)
        guard let row else { return }
        for deviceClass in DeviceClass.allCases {
            #expect(row.effective[deviceClass] == model.settings(app, deviceClass), place)
        }
        #expect(row.mutedUntil == model.mutedUntil(app), place)
        guard let shared = stage.settings(nil) else { return }
        for deviceClass in DeviceClass.allCases {
            #expect(shared.effective[deviceClass] == model.settings(nil, deviceClass), place)
        }
    }

    /// The badge by rules B1 and B2.
    private static func badge(
        _ stage: Stage, _ model: ReferenceModel, _ app: AppID, _ unread: Int, _ place: Comment
    ) {
        let badge = stage.badge(app)
        #expect((badge != nil) == (model.registration(app) != nil), place)
        guard let badge else { return }
        let isAuthorized = model.status(.notifications, app) == .authorized
        for deviceClass in DeviceClass.allCases {
            let isShown = isAuthorized && model.settings(app, deviceClass).badges
            #expect(badge.count(on: deviceClass) == (isShown ? unread : nil), place)
        }
        #expect(badge.others.allSatisfy { $0.count != badge.count }, place)
    }

    /// Rule N10: a held alert is held for a reason that still applies. Rule N15: a class's own row differs from the
    /// phone's.
    private static func alerts(_ stage: Stage, _ id: String, _ app: AppID, _ place: Comment) {
        let phone = stage.alert(id, app)
        for deviceClass in DeviceClass.allCases {
            let own = deviceClass == .phone ? nil : stage.alert(id, app, on: deviceClass)
            if let own {
                var shared = own
                shared.deviceClass = nil
                #expect(shared != phone, place)
                #expect(own.deviceClass == deviceClass && own.post == phone?.post, place)
            }
            guard let row = own ?? phone, row.decision.alert.isHeld else { continue }
            guard let record = stage.state.record(of: app), let post = record.list[ByteText(id)].post,
                stage.notification(id, app)?.unread == true
            else {
                Issue.record("held without an unread notification, \(place)")
                continue
            }
            var inputs = record.alertInputs(post, on: deviceClass, stage.state.shared)
            // The end of a mute does not make the fold decide again.
            inputs.isMuted = false
            // Nor does the switch that silences all apps (rule N17).
            inputs.isSilenced = false
            #expect(row.decision == AlertDecision(inputs), place)
        }
    }
}
