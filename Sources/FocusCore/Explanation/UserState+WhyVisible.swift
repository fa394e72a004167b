/// Why an app sees the user as focused, not focused, or not at all.
extension UserState {
    func visibilityVerdict(_ app: AppID) -> Verdict {
        let record = record(of: app)
        if let record, record.focusAccess == .reported, let report = record.report?.value ?? nil {
            return Verdict(
                decision: report ? "focused" : "notFocused", rule: "F4",
                sentence: "The operating system told the app so, and nobody has denied it.", deciding: ["report"])
        }
        guard let record, record.focusAccess == .authorized else {
            let missing = conditions(app).filter { !$0.holds }.map(\.input.name)
            return Verdict(
                decision: "unavailable", rule: "F3.1",
                sentence:
                    "The app may not know whether a Focus is on; what is missing: \(missing.joined(separator: ", ")).",
                deciding: Set(missing))
        }
        if let report = shared.focus.standing(record.report) {
            return Verdict(
                decision: report ? "focused" : "notFocused", rule: "F4",
                sentence: "The operating system told the app so, later than every Focus event.", deciding: ["report"])
        }
        guard let configuration = shared.focus.effective?.configuration else {
            return Verdict(
                decision: "notFocused", rule: "F3.3", sentence: "No Focus is active.", deciding: ["focus"])
        }
        if !configuration.sharesStatus {
            return Verdict(
                decision: "notFocused", rule: "F3.3", sentence: "The active Focus does not share its status.",
                deciding: ["focusSharesStatus"])
        }
        if configuration.allowedApps.contains(app) {
            return Verdict(
                decision: "notFocused", rule: "F3.3",
                sentence: "The active Focus lets the app through, so it does not exist for the app.",
                deciding: ["focusAllowsApp"])
        }
        return Verdict(
            decision: "focused", rule: "F3.2",
            sentence: "A Focus is active, shares its status, and does not let the app through.",
            deciding: ["focus", "focusSharesStatus", "focusAllowsApp"])
    }

    func visibilityEvidence(_ app: AppID) -> ([Explanation.Input], [RowKey]) {
        let record = record(of: app)
        let report =
            record?.focusAccess == .reported ? record?.report?.value ?? nil : shared.focus.standing(record?.report)
        let effective = shared.focus.effective
        var inputs = conditions(app).map(\.input)
        inputs.append(Explanation.Input("report", report.map { $0 ? "focused" : "notFocused" } ?? "none"))
        inputs.append(Explanation.Input("focus", effective?.focusID ?? "none"))
        var keys = [
            RowKey(.apps, app: app), RowKey(.authorizations, app: app, key: AuthorizationKind.notifications.name),
            RowKey(.authorizations, app: app, key: AuthorizationKind.focusStatus.name), RowKey(.activeFocus),
        ]
        if let effective {
            inputs.append(Explanation.Input("focusSharesStatus", effective.configuration.sharesStatus))
            inputs.append(Explanation.Input("focusAllowsApp", effective.configuration.allowedApps.contains(app)))
            keys.append(RowKey(.focuses, key: effective.focusID))
        }
        return (inputs, keys)
    }

    /// Rules F3.1 and C1: all of these must hold.
    private func conditions(_ app: AppID) -> [(input: Explanation.Input, holds: Bool)] {
        let record = record(of: app)
        let isRegistered = record?.isRegistered ?? false
        let isCommunication = record?.has(.communication) ?? false
        let notifications = record?.status(.notifications) ?? .notDetermined
        let focusStatus = record?.status(.focusStatus) ?? .notDetermined
        let saysWhy = record?.registration?.value.focusStatusUsageDescription.map { !$0.isEmpty } ?? false
        return [
            (Explanation.Input("registered", isRegistered), isRegistered),
            (Explanation.Input("communicationCapability", isCommunication), isCommunication),
            (Explanation.Input("notifications", notifications), notifications == .authorized),
            (Explanation.Input("focusStatus", focusStatus), focusStatus == .authorized),
            (Explanation.Input("usageDescription", saysWhy), saysWhy),
        ]
    }
}
