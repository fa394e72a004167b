/// Why an app's icon shows that number, or none.
extension UserState {
    /// - Parameter last: the last event that changed the badge.
    func badgeVerdict(_ app: AppID, _ deviceClass: DeviceClass, _ last: Explanation.Cause?) -> Verdict {
        guard let record = record(of: app), record.isRegistered else {
            return Verdict(
                decision: "none", rule: "C2", sentence: "The app is not registered.", deciding: ["registered"])
        }
        guard record.status(.notifications) == .authorized else {
            return Verdict(
                decision: "hidden", rule: "B2",
                sentence: "The app is not authorized to notify; the count goes on underneath.",
                deciding: ["notifications"])
        }
        guard record.settings[deviceClass].badges else {
            return Verdict(
                decision: "hidden", rule: "B2",
                sentence: "Badges are off for the app on this class of device; the count goes on underneath.",
                deciding: ["badges"])
        }
        let count = record.list.unreadCount
        if count == 0, last?.type == .badgeCleared {
            return Verdict(
                decision: "0", rule: "B3", sentence: "The badge was cleared, and nothing was posted since.",
                deciding: ["clearedAtUs"])
        }
        return Verdict(
            decision: "\(count)", rule: "B1",
            sentence: count == 1
                ? "One notification in the list is unread." : "\(count) notifications in the list are unread.",
            deciding: ["unread"])
    }

    /// What rules B1 to B3 look at as it is now, and the rows that it comes from, the counted notifications among them.
    func badgeEvidence(_ app: AppID, _ deviceClass: DeviceClass) -> ([Explanation.Input], [RowKey]) {
        guard let record = record(of: app) else { return ([Explanation.Input("registered", false)], []) }
        let counted = record.list.records.filter(\.value.isUnread).keys.sorted()
        let inputs = [
            Explanation.Input("registered", record.isRegistered),
            Explanation.Input("notifications", record.status(.notifications)),
            Explanation.Input("badges", record.settings[deviceClass].badges),
            Explanation.Input("unread", record.list.unreadCount),
            Explanation.Input("clearedAtUs", record.clear.map { "\($0.time.microseconds)" } ?? "never"),
        ]
        let keys = [
            RowKey(.apps, app: app), RowKey(.authorizations, app: app, key: AuthorizationKind.notifications.name),
            RowKey(.notificationSettings), RowKey(.notificationSettings, app: app),
        ]
        return (inputs, keys + counted.map { RowKey(.notifications, app: app, key: $0.text) })
    }
}
